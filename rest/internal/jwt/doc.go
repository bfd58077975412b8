// Package jwt signs and verifies JSON Web Tokens (RFC 7519) with keys of its own issuer. It is not for tokens of other
// issuers: it knows only the forms that it writes, and refuses all others.
package jwt
