package message

import (
	"slices"
	"testing"
)

func TestS21_ProofsHoldForOneConnectionAndOneSide(t *testing.T) {
	token, caller, window := NewAttachToken(), NewAttachNonce(), NewAttachNonce()
	byWindow := WindowProof(token, caller, window)
	byCaller := CallerProof(token, caller, window, AttachCLI, "pillion")
	if !ProofMatches(byCaller, CallerProof(token, caller, window, AttachCLI, "pillion")) {
		t.Fatal("the right proof is refused")
	}
	for name, other := range map[string]string{
		"the window's own, reflected":         byWindow,
		"replayed after another window nonce": CallerProof(token, caller, NewAttachNonce(), AttachCLI, "pillion"),
		"replayed after another caller nonce": CallerProof(token, NewAttachNonce(), window, AttachCLI, "pillion"),
		"with the nonces exchanged":           CallerProof(token, window, caller, AttachCLI, "pillion"),
		"under another window's token":        CallerProof(NewAttachToken(), caller, window, AttachCLI, "pillion"),
		"without a token":                     CallerProof("", caller, window, AttachCLI, "pillion"),
		"for another role":                    CallerProof(token, caller, window, AttachAgent, "pillion"),
		"for another name":                    CallerProof(token, caller, window, AttachCLI, "pillion2"),
		"with the role moved into the name":   CallerProof(token, caller, window, "", "cli\x00pillion"),
		"empty":                               "",
		"cut":                                 byCaller[:len(byCaller)-2],
		"the token itself":                    token,
	} {
		if ProofMatches(other, byCaller) {
			t.Errorf("a proof %s is accepted", name)
		}
	}
	if ProofMatches(WindowProof(token, caller, NewAttachNonce()), byWindow) || ProofMatches(byCaller, byWindow) {
		t.Error("a wrong proof of the window is accepted")
	}
}

// TestAttachProofIsAsDocumented holds the bytes, for callers in other
// languages. The values were computed with Python's hmac.
func TestAttachProofIsAsDocumented(t *testing.T) {
	if got, want := WindowProof("token", "aa", "bb"), "dbdbf8d9d9fb96df717fa05d7848b2c028a05784a56c641aacf8f86a0bb2c688"; got != want {
		t.Errorf("window: %s, want %s", got, want)
	}
	if got, want := CallerProof("token", "aa", "bb", AttachCLI, "pillion"), "496339501ca96b6fcde6033504a446454b973a272bccc94987ad367888c9b79e"; got != want {
		t.Errorf("caller: %s, want %s", got, want)
	}
}

func TestS21_NoncesAreLongAndNew(t *testing.T) {
	seen := []string{}
	for range 100 {
		nonce := NewAttachNonce()
		if err := CheckAttachNonce(nonce); err != nil || slices.Contains(seen, nonce) {
			t.Fatalf("nonce %q: %v", nonce, err)
		}
		seen = append(seen, nonce)
	}
	for _, nonce := range []string{"", "00", seen[0][2:], seen[0] + "00", "zz" + seen[0][2:]} {
		if CheckAttachNonce(nonce) == nil {
			t.Errorf("nonce %q is accepted", nonce)
		}
	}
}
