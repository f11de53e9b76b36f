"""The HTTP service: OpenAI's API, /stream and sessions, for a server that it reaches over gRPC."""
