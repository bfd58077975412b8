package serviceaccount

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/jwt"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

const (
	defaultLifetime = time.Hour
	largestSeconds  = 1 << 32
)

// checkName refuses a request that names a service account other than the one in the URL.
func checkName(name string, r *TokenRequest) error {
	if r.Name == "" || r.Name == name {
		return nil
	}
	return status.Invalid(apimeta.GroupKind{Group: "authentication.k8s.io", Kind: "TokenRequest"}, name,
		status.FieldErrors{status.InvalidField(status.NewPath("metadata", "name"), r.Name,
			"must match the service account name if specified")})
}

// issue answers a TokenRequest for the service account in the URL.
func (i *Issuer) issue(ctx context.Context, r *TokenRequest) (*TokenRequest, error) {
	if i.objects == nil {
		return nil, errNotStarted
	}
	at := access.AccessFrom(ctx)
	record, err := i.objects.Get(ctx, storage.Key{Resource: accounts, Namespace: at.Namespace, Name: at.Name})
	if err != nil {
		return nil, err
	}
	if r.UID != "" && r.UID != record.UID {
		return nil, status.Conflict(apimeta.GroupResource{Group: "authentication.k8s.io", Resource: "TokenRequest"}, at.Name,
			fmt.Sprintf("the UID in the token request (%s) does not match the UID of the service account (%s)", r.UID,
				record.UID))
	}
	lifetime, err := i.lifetime(ctx, &r.Spec)
	if err != nil {
		return nil, err
	}
	if len(r.Spec.Audiences) == 0 {
		r.Spec.Audiences = slices.Clone(i.audiences)
	}
	now := i.objects.Now()
	r.Name, r.Namespace, r.UID, r.CreationTimestamp = at.Name, at.Namespace, record.UID, apimeta.NewTime(now)
	c := claims{
		Issuer: i.issuer, Subject: identity.ServiceAccountUser(at.Namespace, at.Name), Audiences: r.Spec.Audiences,
		ID:       rand.Text(),
		IssuedAt: now.Unix(), NotBefore: now.Unix(), Expiry: now.Add(lifetime).Unix(),
		Account: account{Namespace: at.Namespace, Account: reference{Name: at.Name, UID: record.UID}},
	}
	if r.Spec.BoundObjectRef != nil {
		if err := i.bind(ctx, &c.Account, r.Spec.BoundObjectRef); err != nil {
			return nil, err
		}
	}
	r.Status.Token, err = (*i.keys.Load())[0].Sign(c)
	if errors.Is(err, jwt.ErrTooLong) {
		return nil, status.BadRequest(err.Error())
	}
	if err != nil {
		return nil, fmt.Errorf("serviceaccount: sign a token: %w", err)
	}
	r.Status.ExpirationTimestamp = apimeta.NewTime(c.expires())
	return r, nil
}

// lifetime returns for how long a token is valid, and sets the time in the request, whose client sees it in the answer.
func (i *Issuer) lifetime(ctx context.Context, spec *TokenRequestSpec) (time.Duration, error) {
	seconds := int64(defaultLifetime.Seconds())
	spec.ExpirationSeconds = cmp.Or(spec.ExpirationSeconds, &seconds)
	wanted, field := *spec.ExpirationSeconds, status.NewPath("spec", "expirationSeconds")
	var errs status.FieldErrors
	switch longest := int64(i.maxLifetime.Seconds()); {
	case wanted < int64(minLifetime.Seconds()):
		errs = append(errs, status.InvalidField(field, wanted, "may not specify a duration less than 10 minutes"))
	case wanted > largestSeconds:
		errs = append(errs, status.InvalidField(field, wanted, "may not specify a duration larger than 2^32 seconds"))
	case wanted > longest:
		if wanted != seconds { // the client may have asked for nothing
			rest.Warn(ctx, fmt.Sprintf("requested expiration of %d seconds shortened to %d seconds", wanted, longest))
		}
		spec.ExpirationSeconds = &longest
	}
	if len(errs) > 0 {
		return 0, status.Invalid(apimeta.GroupKind{Group: "authentication.k8s.io", Kind: "TokenRequest"}, "", errs)
	}
	return time.Duration(*spec.ExpirationSeconds) * time.Second, nil
}
