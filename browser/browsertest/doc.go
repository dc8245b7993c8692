// Package browsertest is what every browser of Pillion must do, whatever it is made of: a suite over an MCP session, and the small
// site that it opens. It starts no browser and knows no provider.
package browsertest
