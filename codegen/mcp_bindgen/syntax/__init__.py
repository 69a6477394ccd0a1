"""From the bytes of a schema file to the model as written.

``parse`` turns bytes into a syntax tree (``scan`` looks at them first, for what a parser must not be given);
``reader`` reads the declarations of the tree, ``expressions`` the types in them, ``literals`` the strings and numbers,
``jsdoc`` the documentation. ``source`` says where things are.
"""
