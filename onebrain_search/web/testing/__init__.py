"""A small internet on this machine that speaks like the real one, for tests and demonstrations without a network.

with FakeInternet() as net:
    http = Http(routes=net.routes)               # every origin leads here
    net.fail("api.search.brave.com", "429")      # one of FAULTS
    ...
    assert [call.path for call in net.calls] == ["/res/v1/web/search"]
"""

from onebrain_search.web.testing.faults import FAULTS
from onebrain_search.web.testing.internet import FakeInternet
from onebrain_search.web.testing.served import Call, Served

__all__ = ["FAULTS", "Call", "FakeInternet", "Served"]
