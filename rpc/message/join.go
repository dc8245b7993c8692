package message

import (
	"time"

	"pillion/rpc"
)

//pillion:section 71 Programs that may join
//
// Whether a program may join a window is asked the first time that it wants to.
// An answer that is to stand counts in all windows, for that program as started
// by that other one, and for no other.

// JoinRecord is one answer that stands.
type JoinRecord struct {
	Program  string       `json:"program"` // path of the executable that joins
	Parent   string       `json:"parent"`  // path of the executable that started it
	Decision JoinDecision `json:"decision"`
	At       time.Time    `json:"at"` // when it was decided
}

// JoinsResult lists every answer that stands.
type JoinsResult struct {
	Records []JoinRecord `json:"records"`
}

// JoinForgetParams names the answer to take back.
type JoinForgetParams struct {
	Program string `json:"program"` // as it is listed
	Parent  string `json:"parent"`  // as it is listed
}

// Joins lists which programs may join windows without a question, and which may
// never.
//
//pillion:people
var Joins = rpc.Request[Empty, JoinsResult]{Method: "pillion/joins"}

// JoinForget takes an answer back: the program asks again the next time. Who has
// joined stays until it leaves.
//
//pillion:people
var JoinForget = rpc.Request[JoinForgetParams, Empty]{Method: "pillion/join/forget"}
