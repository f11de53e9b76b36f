"""Clients of the gRPC contract, for programs with threads and with asyncio.

Nothing here knows how a server answers.
"""

from .async_chat_client import AsyncChatClient
from .chat_client import ChatClient

__all__ = ["AsyncChatClient", "ChatClient"]
