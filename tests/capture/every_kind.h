// A capture with every node type and every optional key, in the very text that
// FormatCapture writes.
#ifndef REPRISE_TESTS_CAPTURE_EVERY_KIND_H_
#define REPRISE_TESTS_CAPTURE_EVERY_KIND_H_

namespace reprise::testing {

inline constexpr char kEveryKind[] = R"({
"format":"cuda-graph-capture",
"version":1,
"source":{"program":"written by hand","about":{"rows":[1,-2,0.5,null,true]}},
"nodes":[
{"id":0,"type":"kernel","stream":3,"symbol":"_Z4pluspf\"q\"","grid":[7,2,1],"block":[256,1,4],"shared_bytes":1024,"params":[{"offset":0,"bytes":"00ff10a0"},{"offset":8,"bytes":"0123456789abcdef"}],"programmatic_serialization":true,"cooperative":true,"cluster":[2,1,1]},
{"id":1,"type":"kernel","symbol":"no_parameters","grid":[4294967295,1,1],"block":[1,1,1],"shared_bytes":0,"params":[]},
{"id":2,"type":"memcpy","stream":0,"src":"0x7f0000001000","dst":"0x0","width_bytes":64,"height":3,"depth":2,"src_pitch":128,"dst_pitch":64,"src_memory":2,"dst_memory":1},
{"id":3,"type":"memset","dst":"0xffffffffffffffff","width":16,"height":2,"pitch":32,"element_bytes":4,"value":4294967295},
{"id":4,"type":"host","stream":4294967294},
{"id":5,"type":"child_graph"},
{"id":6,"type":"empty"},
{"id":7,"type":"event_wait"},
{"id":8,"type":"event_wait","stream":1,"event":0},
{"id":9,"type":"event_record","event":12},
{"id":10,"type":"mem_alloc"},
{"id":11,"type":"mem_free"},
{"id":12,"type":"conditional"},
{"id":13,"type":"other"}
],
"edges":[
{"from":0,"to":1,"from_port":1,"to_port":0,"type":"programmatic"},
{"from":13,"to":2,"from_port":0,"to_port":255,"type":"full"}
],
"allocations":[
{"address":"0x7f0000000000","bytes":8192},
{"address":"0xffffffffffff0000","bytes":65535}
]
}
)";

}  // namespace reprise::testing

#endif  // REPRISE_TESTS_CAPTURE_EVERY_KIND_H_
