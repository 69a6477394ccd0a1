"""The model: classes without behaviour that every stage of the generator reads or makes.

``types`` and ``declarations`` say what a schema file says (the model as written); ``decisions`` and ``protocol`` say
what it means (the resolved model). ``walk`` visits both.
"""
