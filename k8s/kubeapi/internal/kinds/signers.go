package kinds

import (
	"context"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/rest"
)

// permitSigning returns an error unless a user has a right on a signer, or on all signers of its domain.
func permitSigning(ctx context.Context, user rest.User, verb, signer string) error {
	domain, _, _ := strings.Cut(signer, "/")
	for _, name := range []string{signer, domain + "/*"} {
		decision, err := rest.Authorize(ctx, rest.Access{User: user, Verb: verb, Group: "certificates.k8s.io", Version: "*", Resource: "signers", Name: name})
		if err != nil {
			return err
		}
		if decision.Verdict == rest.Allow {
			return nil
		}
	}
	return fmt.Errorf("user not permitted to %s requests with signerName %q", verb, signer)
}
