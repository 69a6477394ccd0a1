"""Two neighbouring protocols become a step: the tables by which the runtime converts messages from one to the other.

``plan_step`` walks over the types of both protocols in parallel: methods, results, envelopes and capabilities, and below
them every member that differs. What their structures cannot say is in ``rules.toml``: the value of a member that one of
them requires, the form of a block that the other lacks, and the methods that need a connection. ``Rules`` reads it; each
rule has a reason and a section of the specification, and one that matches nothing is an error, as is a difference that
needs a rule and has none. ``codec.type_tables`` and ``bridge.step_tables`` of the runtime document the tables.
"""

from __future__ import annotations

from mcp_bindgen.bridge.planner import plan_step, plan_steps
from mcp_bindgen.bridge.rules import Rule, RuleError, Rules

__all__ = ["Rule", "RuleError", "Rules", "plan_step", "plan_steps"]
