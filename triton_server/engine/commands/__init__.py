"""What clients ask the server for beside answers.

Nothing here knows Triton.
"""
