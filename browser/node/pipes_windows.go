package node

// hasPipes is false: Node hands pipes on in a way of the C library's, which programs of Go do not read.
const hasPipes = false
