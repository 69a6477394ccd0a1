"""A server that passes the requests of its clients on to other servers, and everything else back.

``server`` makes it. ``backend_server`` is a server behind it, ``server_contact`` the way to that one, and
``several_servers`` makes several look like one. ``backend_session`` is the session with a server for one client of the
proxy, ``client_sessions`` finds it, and ``front`` sends that client what the server says. ``bridge`` serves clients of other
revisions.
"""
