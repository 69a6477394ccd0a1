"""What the specification demands in prose, as rules that a recorded conversation is held against."""

from mcp_bindgen.validate.rules.conversation import Conversation, listing
from mcp_bindgen.validate.rules.rule import Rule, Strength

__all__ = ["Conversation", "Rule", "Strength", "listing"]
