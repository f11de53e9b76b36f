"""The conversations of the examination, a module for each ability, in words written without a look at the
training text."""
