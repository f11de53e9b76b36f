"""The conversations of the examination, a module for each ability, in words that are not trained on."""
