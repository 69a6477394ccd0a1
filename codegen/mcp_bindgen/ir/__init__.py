"""The intermediate model: classes without behaviour that the stages of the generator pass on.

``types`` and ``declarations`` hold the model as written, ``decisions`` and ``protocol`` the resolved model; ``walk``
visits both.
"""
