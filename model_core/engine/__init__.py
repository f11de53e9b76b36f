"""Runs requests together: schedules, computes, samples, delivers.

Nothing here knows messages.
"""
