"""Spans of requests for an OpenTelemetry collector: where the time of an answer goes, in all processes.

Nothing here knows what a request asks, and no span has the content of one.
"""
