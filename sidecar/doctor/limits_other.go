//go:build !linux

package doctor

import "pillion/rpc/message"

// limits is empty: this system has none that matter here.
func limits() []message.DoctorRow { return nil }
