"""The list of messages: turns as plain data, the component that draws them, and what a person does in it.

Nothing here knows conversations or branches of them. `web` has the source of what runs in the browser.
"""
