"""Rules for recorded conversations: requirements that the specification states in prose."""

from mcp_bindgen.validate.rules.conversation import Conversation, listing
from mcp_bindgen.validate.rules.rule import Rule, Strength

__all__ = ["Conversation", "Rule", "Strength", "listing"]
