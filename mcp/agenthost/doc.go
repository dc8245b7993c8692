// Package agenthost holds what a program that drives a model of its own needs of tools (I7): the text for its system prompt, the names
// and the argument schemas of its actions, and arguments as models really write them. It is pure functions over values: it calls no
// tool, speaks to no model and knows no host.
//
// Summaries and schemas are their connectors' own words, and whoever shows them to a model gives it text that Pillion did not write.
package agenthost
