package process

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// DisallowDump keeps other processes of the user from reading this one's memory and environment (S20): they may ask for its name and end it, and no more.
// An owner could give the right back to himself, so this stops what does not set out to.
func DisallowDump() error {
	if err := restrictAccess(); err != nil {
		return fmt.Errorf("restrict access to the process: %w", err)
	}
	return nil
}

func restrictAccess() error {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	const allowed = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.PROCESS_TERMINATE | windows.SYNCHRONIZE
	// SY: the system, BA: administrators, both everything.
	sddl := fmt.Sprintf("D:P(A;;GA;;;SY)(A;;GA;;;BA)(A;;0x%x;;;%s)", allowed, user.User.Sid)
	descriptor, err := windows.SecurityDescriptorFromString(sddl)
	if err != nil {
		return err
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		return err
	}
	return windows.SetSecurityInfo(windows.CurrentProcess(), windows.SE_KERNEL_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil)
}
