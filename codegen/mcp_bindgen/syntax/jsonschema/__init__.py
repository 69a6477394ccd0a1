"""Front end for JSON Schema: from the schemas of a server's tools to the model of types.

    json_text        bounded text -> JSON value, duplicate members and NaN refused
    document         JSON value -> ``Schema`` nodes in the vocabulary of 2020-12, with local references

Schemas are untrusted input: no reference is fetched, no pattern is run, sizes and nesting are bounded.
"""
