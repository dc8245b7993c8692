package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/go-json-experiment/json"
)

// SealKey gives the key that grants are sealed with (S20). Its methods may be called at once.
type SealKey interface {
	// Key returns the key, within about a second; with mayMake it is made where there is none yet. It is always the same. The
	// error wraps ErrUnsealed where there is nothing to keep a key in; any other says why the key cannot be had.
	Key(mayMake bool) ([]byte, error)
}

// ErrUnsealed says that this machine has nothing to keep a key in, so that grants carry no seal.
var ErrUnsealed = errors.New("no keyring is there")

// Sealable says how the records of a store are sealed. All of it must be set.
type Sealable[R any] struct {
	// Purpose tells the seals of one kind of records from those of all others.
	Purpose string
	// Seal returns a record's seal, WithSeal the record with another one; the seal covers everything else in it.
	Seal     func(R) string
	WithSeal func(R, string) R
	// Gives reports whether the record lets anything happen: others count without a seal.
	Gives func(R) bool
	// Rest is what still counts of a record that is not believed; false for nothing.
	Rest func(R) (R, bool)
	// Label says in a line what the record gives, foreign text in quotes.
	Label func(R) string
}

// Doubt is a record that gives something and does not count, because nothing shows that Pillion wrote it as it stands.
type Doubt struct {
	Digest string // of the record, seal and all
	Label  string
}

// Sieve tells the records that are as Pillion wrote them from all others. Its methods may be called at once.
type Sieve[R any] struct {
	key  SealKey
	kind Sealable[R]

	mu       sync.Mutex
	accepted map[string]bool // by the digest: what was said in this process; replaced as a whole
	first    *R              // the list that was sifted last
	count    int
	by       hand
	sifted   Sifted[R]
}

// Sifted is a list of records, judged. It must not be modified.
type Sifted[R any] struct {
	// Records are those that count, in their order.
	Records []R
	Doubts  []Doubt
	// Fault says why there are doubts; nil where there are none.
	Fault error
}

// NewSieve returns a sieve that has not asked for the key yet. Without one nothing is sealed.
func NewSieve[R any](key SealKey, kind Sealable[R]) *Sieve[R] {
	return &Sieve[R]{key: key, kind: kind, accepted: map[string]bool{}}
}

// hand is what seals are made and judged with at one moment.
type hand struct {
	key       string // empty where there is none
	isWithout bool   // nothing is there to keep one in
	fault     string // why there is none else
	said      int    // how much was accepted
}

func (s *Sieve[R]) handNow(mayMake bool) hand {
	h := hand{isWithout: true}
	if s.key != nil {
		key, err := s.key.Key(mayMake)
		h = hand{key: string(key)}
		if err != nil {
			h = hand{isWithout: errors.Is(err, ErrUnsealed), fault: err.Error()}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h.said = len(s.accepted)
	return h
}

// Sift judges a list of records, which must not be modified afterwards. The key is asked for only where one of them gives
// something, and a list is judged once.
func (s *Sieve[R]) Sift(records []R) Sifted[R] {
	if len(records) == 0 {
		return Sifted[R]{}
	}
	s.mu.Lock()
	isSame := s.first == &records[0] && s.count == len(records)
	needsKey := !isSame || s.by != hand{}
	s.mu.Unlock()
	if !isSame {
		needsKey = false
		for _, r := range records {
			needsKey = needsKey || s.kind.Gives(r)
		}
	}
	var by hand
	if needsKey {
		by = s.handNow(false)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == &records[0] && s.count == len(records) && s.by == by {
		return s.sifted
	}
	s.first, s.count, s.by, s.sifted = &records[0], len(records), by, s.sift(records, by)
	return s.sifted
}

// sift is called with s.mu held.
func (s *Sieve[R]) sift(records []R, by hand) Sifted[R] {
	sifted := Sifted[R]{Records: make([]R, 0, len(records))}
	isSealed := false
	for _, r := range records {
		if !s.kind.Gives(r) || s.holds(r, by) {
			sifted.Records = append(sifted.Records, r)
			continue
		}
		isSealed = isSealed || s.kind.Seal(r) != ""
		if rest, remains := s.kind.Rest(r); remains {
			sifted.Records = append(sifted.Records, rest)
		}
		digest, _ := s.digest(r)
		sifted.Doubts = append(sifted.Doubts, Doubt{digest, s.kind.Label(r)})
	}
	if len(sifted.Doubts) > 0 {
		sifted.Fault = doubtful(by, isSealed)
	}
	return sifted
}

// doubtful says why records are not believed.
func doubtful(by hand, isSealed bool) error {
	switch {
	case by.key != "":
		return errors.New("these were not sealed by Pillion as they stand, so they do not count: an older version wrote them, or something else did")
	case by.isWithout:
		return errors.New("these were sealed with a key of a keyring that is not there now, so nothing shows that they are as Pillion wrote them, and they do not count")
	case isSealed:
		return fmt.Errorf("these were sealed with a key that cannot be had, so nothing shows that they are as Pillion wrote them, and they do not count: %s", by.fault)
	}
	return fmt.Errorf("nothing shows that Pillion wrote these, so they do not count: %s", by.fault)
}

// holds is called with s.mu held.
func (s *Sieve[R]) holds(r R, by hand) bool {
	digest, isClear := s.digest(r)
	switch {
	case !isClear:
		return false
	case s.accepted[digest]:
		return true
	case by.key == "":
		return by.isWithout && s.kind.Seal(r) == ""
	}
	return hmac.Equal([]byte(s.kind.Seal(r)), []byte(s.sealOf(r, by)))
}

func (s *Sieve[R]) sealOf(r R, by hand) string {
	text, err := s.text(s.kind.WithSeal(r, ""))
	if err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, []byte(by.key))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

// digest names a record as it stands.
func (s *Sieve[R]) digest(r R) (digest string, isClear bool) {
	text, err := s.text(r)
	if err != nil {
		return "", false
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), true
}

// text is a record in a form that no other has, of this kind or another.
func (s *Sieve[R]) text(r R) ([]byte, error) {
	text, err := json.Marshal(r, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode a %s: %w", s.kind.Purpose, err)
	}
	return append([]byte("pillion "+s.kind.Purpose+" 1\x00"), text...), nil
}

// Sealer seals what is written, with the key as it was at one moment.
type Sealer[R any] struct {
	sieve *Sieve[R]
	now   func() hand
}

// Sealer returns one. With gives, for what a person gives, the key is had at once, and made where there is none; else it is
// asked for only where it is needed.
func (s *Sieve[R]) Sealer(gives bool) Sealer[R] {
	now := sync.OnceValue(func() hand { return s.handNow(gives) })
	if gives {
		now()
	}
	return Sealer[R]{s, now}
}

// Holds reports whether a record counts as it stands.
func (s Sealer[R]) Holds(r R) bool {
	if !s.sieve.kind.Gives(r) {
		return true
	}
	by := s.now()
	s.sieve.mu.Lock()
	defer s.sieve.mu.Unlock()
	return s.sieve.holds(r, by)
}

// Sealed returns what somebody said here with its seal. It counts in this process even where it can have none.
func (s Sealer[R]) Sealed(r R) R {
	r = s.sieve.kind.WithSeal(r, "")
	if !s.sieve.kind.Gives(r) {
		return r
	}
	by := s.now()
	if by.key != "" {
		return s.sieve.kind.WithSeal(r, s.sieve.sealOf(r, by))
	}
	if digest, isClear := s.sieve.digest(r); isClear && !by.isWithout {
		s.sieve.accept(map[string]bool{digest: true})
	}
	return r
}

// Accept lets the doubtful records of these digests count in this process, because a person said so, and returns what seals
// them where that can be done: nil where it cannot.
func (s *Sieve[R]) Accept(digests []string) (reseal func([]R) []R) {
	accepted := map[string]bool{}
	for _, digest := range digests {
		accepted[digest] = true
	}
	s.accept(accepted)
	return s.Reseal(true)
}

// Reseal returns what gives a seal to the records that count in this process without one; nil where there is no key.
func (s *Sieve[R]) Reseal(mayMake bool) func([]R) []R {
	sealer := s.Sealer(mayMake)
	if sealer.now().key == "" {
		return nil
	}
	return func(records []R) []R {
		resealed := make([]R, len(records))
		for i, r := range records {
			if resealed[i] = r; s.isAccepted(r) {
				resealed[i] = sealer.Sealed(r)
			}
		}
		return resealed
	}
}

func (s *Sieve[R]) isAccepted(r R) bool {
	digest, isClear := s.digest(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	return isClear && s.accepted[digest]
}

// HasAccepted reports whether anything counts in this process alone.
func (s *Sieve[R]) HasAccepted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.accepted) > 0
}

func (s *Sieve[R]) accept(digests map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	accepted := maps.Clone(s.accepted)
	maps.Copy(accepted, digests)
	s.accepted = accepted
}
