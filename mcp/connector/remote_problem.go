package connector

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

func (r *remote) place() string { return visible(r.endpoint.Host, maxReasonBytes) }

// problemOf says what is behind an error on the way to the server, or of its answer.
func (r *remote) problemOf(err error) *Problem {
	c := r.session.connector
	var problem *Problem
	var redirect *redirectError
	var status *TransportError
	var unreachable *unreachableError
	switch {
	case errors.As(err, &problem):
		return problem
	case errors.As(err, &redirect):
		return r.redirectProblem(redirect)
	case errors.As(err, &status):
		return r.statusProblem(status, err)
	case errors.As(err, &unreachable):
		return r.unreachable(unreachable.err)
	}
	var operation net.Error
	if errors.As(err, &operation) {
		return r.unreachable(err)
	}
	return c.newProblem(ProblemProtocol, visible(err.Error(), maxReasonBytes), r.logStep())
}

// unreachable is about a server that no connection came about to.
func (r *remote) unreachable(err error) *Problem {
	c, host := r.session.connector, r.place()
	if problem := r.untrusted(err); problem != nil {
		return problem
	}
	var dns *net.DNSError
	var operation *net.OpError
	proxy := r.client.proxyFor(r.endpoint)
	through := ""
	if proxy != "" {
		through = fmt.Sprintf(" through the proxy %s", visible(proxy, sampleBytes))
	}
	switch {
	case errors.As(err, &dns):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("the host %q is not found (DNS)", visible(dns.Name, sampleBytes)),
			`Check the host in "url".`, "If it is a name of a private network, connect to that network (VPN) first.")
	case proxy != "" && errors.As(err, &operation) && operation.Op == "proxyconnect", proxy != "" && errors.Is(err, syscall.ECONNREFUSED):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("the proxy %s cannot be reached: %s", visible(proxy, sampleBytes), cause(err)),
			"Check HTTPS_PROXY and HTTP_PROXY in the environment that the editor was started in.", fmt.Sprintf("If %s needs no proxy, name it in NO_PROXY.", host))
	case errors.Is(err, syscall.ECONNREFUSED):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("nothing listens at %s (connection refused)", host),
			"Start the server, if it is one of your own.", `Check the host and the port in "url".`)
	case isTimeout(err):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("no connection to %s%s in time", host, through),
			"Check that you are online, and that no firewall is in between.", `Check the host and the port in "url".`)
	}
	return c.newProblem(ProblemUnreachable, fmt.Sprintf("no connection to %s%s: %s", host, through, cause(err)),
		"Check that you are online.", `Check "url" in the entry.`)
}

// untrusted is about TLS; nil where that is not what went wrong.
func (r *remote) untrusted(err error) *Problem {
	c, host := r.session.connector, r.place()
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var noTLS tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown):
		issuer := "an unknown authority"
		if unknown.Cert != nil {
			issuer = fmt.Sprintf("%q", visible(unknown.Cert.Issuer.String(), sampleBytes))
		}
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("the certificate of %s is issued by %s, which is not trusted here (TLS)", host, issuer),
			"If that is an authority of your company, ask for its certificate file (PEM) and name it in caFile in your settings.json, or in SSL_CERT_FILE.",
			"If you do not know that authority, do not go on: somebody may be reading along.")
	case errors.As(err, &name):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("the certificate of %s is for another host (TLS): %s", host, visible(name.Error(), sampleBytes)),
			`Check the host in "url".`)
	case errors.As(err, &invalid):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("the certificate of %s is not valid (TLS): %s", host, visible(invalid.Error(), sampleBytes)),
			"Check the clock of this machine.", "Tell whoever runs the server.")
	case errors.As(err, &noTLS):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("%s does not speak TLS", host), `Check the port in "url", and whether it begins with http: or https:.`)
	case errors.As(err, &alert):
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("%s ended the TLS handshake: %s", host, visible(alert.Error(), sampleBytes)), "Tell whoever runs the server.")
	}
	return nil
}

func isTimeout(err error) bool {
	var operation net.Error
	return errors.As(err, &operation) && operation.Timeout()
}

// cause is the innermost error that says something.
func cause(err error) string {
	var operation *net.OpError
	for errors.As(err, &operation) && operation.Err != nil {
		err = operation.Err
	}
	return visible(err.Error(), sampleBytes)
}

func (r *remote) redirectProblem(redirect *redirectError) *Problem {
	steps := []string{}
	switch {
	case redirect.target != "" && redirect.isLeak:
		steps = append(steps, fmt.Sprintf(`If you trust that place, write "url": %q in the entry: what the headers hold is then sent there.`, redirect.target))
	case redirect.target != "":
		steps = append(steps, fmt.Sprintf(`Write "url": %q in the entry.`, redirect.target))
	default:
		steps = append(steps, "Ask whoever runs the server for its right address.")
	}
	return r.session.connector.newProblem(ProblemConfig, redirect.reason, steps...)
}

func (r *remote) loginProblem(status *TransportError) *Problem {
	steps := []string{"Sign-in in the browser is not supported yet."}
	if len(r.headers) > 0 {
		steps = append(steps, `Check the credential in "headers": it may have expired, or be for another server.`)
	} else {
		steps = append(steps, `Get a token from the server's site, and write "headers": {"Authorization": "Bearer ${MY_TOKEN}"} in the entry, with MY_TOKEN in the environment.`)
	}
	if status.Status == http.StatusForbidden {
		steps = append(steps, "If the credential is right, ask whoever runs the server for access.")
	}
	return r.session.connector.newProblem(ProblemLogin, "wants a sign-in, or refuses the credential: "+status.Reason, steps...)
}

// statusProblem is about an answer that refuses, or is no MCP.
func (r *remote) statusProblem(status *TransportError, err error) *Problem {
	c := r.session.connector
	reason := visible(err.Error(), maxReasonBytes)
	switch {
	case status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden:
		return r.loginProblem(status)
	case status.isBusy() && status.RetryAfter > 0:
		return c.newProblem(ProblemUnreachable, fmt.Sprintf("%s; it asks to be left alone for %s", reason, status.RetryAfter), fmt.Sprintf("Wait for %s.", status.RetryAfter.Round(time.Second)))
	case status.isBusy() || status.Status >= 500:
		return c.newProblem(ProblemUnreachable, reason, "Wait a while: the fault is with the server.", "Tell whoever runs it if it stays so.")
	case status.Status == http.StatusProxyAuthRequired:
		return c.newProblem(ProblemUnreachable, reason, "Write the user and password for the proxy into HTTPS_PROXY.")
	}
	return r.protocolProblem(reason)
}

func (r *remote) protocolProblem(reason string) *Problem {
	return r.session.connector.newProblem(ProblemProtocol, "speaks no MCP that is understood: "+reason,
		fmt.Sprintf(`Check "url": %s must be the address of the server's MCP endpoint, which often ends in /mcp, and not of a page about it.`, shownURL(r.endpoint)), r.logStep())
}

func (r *remote) logStep() string {
	if file := r.session.connector.options.LogFile; file != "" {
		return fmt.Sprintf("Read the end of its log, %s.", file)
	}
	return "Ask whoever runs the server."
}

// refused implements link. What initialize came to says more: it is the one that every server knows.
func (r *remote) refused(refused *refusedError) *Problem {
	err := refused.refusals[len(refused.refusals)-1]
	var status *TransportError
	var redirect *redirectError
	switch {
	case errors.As(err, &redirect):
		return r.redirectProblem(redirect)
	case errors.As(err, &status):
		return r.statusProblem(status, status)
	}
	return r.session.connector.newProblem(ProblemProtocol, "it refused the handshake: "+visible(refused.Error(), maxReasonBytes),
		`Check that "url" is the address of an MCP server.`, r.logStep())
}

// unanswered implements link.
func (r *remote) unanswered(silent *silentError) *Problem {
	return r.session.connector.newProblem(ProblemTimeout, fmt.Sprintf("%s takes connections but gave no answer within %s", r.place(), silent.after.Round(time.Millisecond)),
		`Check the port in "url".`, "If it only needs longer, raise \"startTimeout\" under \"pillion\" in the entry.")
}

// isOldHint reports whether the refusals are what a server answers that speaks the older transport alone (MCP 2025-11-25
// transports: 400, 404 or 405, and no other, C56).
func isOldHint(err error) bool {
	var refused *refusedError
	if !errors.As(err, &refused) || len(refused.refusals) == 0 {
		return false
	}
	var status *TransportError
	if !errors.As(refused.refusals[len(refused.refusals)-1], &status) {
		return false
	}
	switch status.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}
