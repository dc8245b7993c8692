// Package install puts the browsers that are written for Node into a folder of Pillion's own: exactly the versions of a lock file
// that Pillion carries, by the machine's npm, once, whichever window asks first.
// It runs no script of a package, downloads no browser, never looks at a workspace (S1), and starts nothing of what it installed.
package install
