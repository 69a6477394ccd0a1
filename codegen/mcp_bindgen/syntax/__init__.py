"""From the bytes of a schema file to the model as written.

``scan`` checks the bytes for what the parser cannot handle; ``parse`` turns them into a syntax tree; ``declarations`` reads
the declarations of the tree, ``expressions`` the types, ``literals`` the strings and numbers, ``jsdoc`` the
documentation; ``source`` converts positions and collects faults.
"""
