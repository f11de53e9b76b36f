"""Which files of tests run in the same worker, and which are handed out first. All without their `test_`."""

from pathlib import PurePath

from xdist.scheduler import LoadFileScheduling

# Files that use the same servers of `conftest.py`. Each worker starts those that it needs, so few start each.
GROUPS = {
    "endless and server": """
        terminal sessions slow_clients http answer_feed server embeddings served_choices""",
    "reciter": """
        chats_with_tools responses_with_tools tool_servers mcp_server browser_day prompts_page
        folders_browser archive_page usage_page links
        page page_tools anthropic ollama token_view clients terminal_reasoning reasoning_in_prompts""",
    "several": """
        accessibility upstream asking browser_chat inspection several_models compare_page inside_pages
        discovery comparison tokens anthropic_models""",
    "server": """
        access prompts chat_page network conversation_commands inside_browser forms continue_final_message
        people logs responses stream_memory openai served_adapters metrics openai_conventions deploy
        cache_of_keys thumbs attachments answer_slots malformed wire stream_route tool_calls docs_page
        batches named_files kserve_grpc model_offers chat_receipts unsent questions parting
        embeddings_of_images""",
    "endless": """
        proxy browser_crashes fleet proxy_grpc grpc_calls kserve keep_alive proxy_faults hangups""",
}
# The others that take longest, so that no worker is left with one of them at the end.
LONGEST = """
    processors life hub tiles supervisor loader form embedded store quantize engine memory fuzz_folders
    recurrence schema hub_commands scheduler template_process session_limits rerank first_use explain
    kernels"""

_GROUP_OF = {file: group for group, files in GROUPS.items() for file in files.split()}
_RANKS = {group: rank for rank, group in enumerate((*GROUPS, *LONGEST.split()))}


def group_of(path: str | PurePath) -> str:
    """The group of a file's tests: one of GROUPS, or the file by itself."""
    file = PurePath(path).stem.removeprefix("test_")
    return _GROUP_OF.get(file, file)


def rank_of(path: str | PurePath) -> int:
    """The place of a file's tests among all. Files of the same rank keep their order."""
    return _RANKS.get(group_of(path), len(_RANKS))


class GroupScheduling(LoadFileScheduling):
    """Hands a group out as a whole, to the next worker that has nothing to do."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0])
