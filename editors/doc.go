// Package editors keeps the questions that people must answer, as state that any window or terminal may answer, and puts
// them into words for editors without a question view of their own.
// It decides nothing: what an answer means is for whoever opened the question.
package editors
