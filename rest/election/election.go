package election

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
)

// Options configure a candidate. All candidates of an election use the same Name and the same times.
type Options struct {
	// Client accesses the leases of one namespace.
	Client rest.Client[builtin.Lease]
	// Name is the name of the lease. Run creates the lease if it does not exist.
	Name string
	// Identity names the candidate, and must differ from those of all others. People see it in the lease. Default: a random text.
	Identity string

	// LeaseDuration is how long the other candidates wait without seeing a renewal until one of them takes the lease. Fractions of a
	// second are rounded up. Default: 15 seconds.
	LeaseDuration time.Duration
	// RenewDeadline is how long the leader leads after its last successful renewal. It must be shorter than LeaseDuration. Default: 10
	// seconds.
	RenewDeadline time.Duration
	// RetryPeriod is the time between renewals, and between attempts of the other candidates, which add a random time of at most
	// 1.2 times this period. RenewDeadline must be longer than that time. Default: 2 seconds.
	RetryPeriod time.Duration

	// OnLeader, unless nil, receives the identity of each leader that the candidate sees, itself included; "" if nobody leads. It must
	// return soon, because the candidate waits for it.
	OnLeader func(identity string)
	// Logger logs the beginning and the end of the candidate's leadership at level Info, and failures of the API at level Error. Default:
	// Run logs errors only, to what slog.Default returns when it starts.
	Logger *slog.Logger
}

// jitter is the largest random addition to a retry period, as a multiple of it.
const jitter = 1.2

func (o Options) withDefaults() (Options, error) {
	o.Identity = cmp.Or(o.Identity, rand.Text())
	o.LeaseDuration = cmp.Or(o.LeaseDuration, 15*time.Second)
	o.RenewDeadline = cmp.Or(o.RenewDeadline, 10*time.Second)
	o.RetryPeriod = cmp.Or(o.RetryPeriod, 2*time.Second)
	o.Logger = errorlog.Or(o.Logger).With("lease", o.Name, "identity", o.Identity)
	switch {
	case o.Name == "":
		return o, errors.New("election: the lease has no name")
	case o.RetryPeriod < 0:
		return o, fmt.Errorf("election: RetryPeriod %v is negative", o.RetryPeriod)
	case float64(o.RenewDeadline) <= jitter*float64(o.RetryPeriod):
		return o, fmt.Errorf("election: RenewDeadline %v must be longer than %v times RetryPeriod %v", o.RenewDeadline, jitter, o.RetryPeriod)
	case o.LeaseDuration <= o.RenewDeadline:
		return o, fmt.Errorf("election: LeaseDuration %v must be longer than RenewDeadline %v", o.LeaseDuration, o.RenewDeadline)
	}
	return o, nil
}

// Run campaigns for the lease, and calls lead when the candidate has become the leader. The context of lead ends when ctx ends, or when the
// candidate loses the lease. lead must then stop its work and return: from then on, it has LeaseDuration minus RenewDeadline before
// another candidate may lead. Run holds on to the lease until lead has returned, and then releases it, so that another candidate need not
// wait until it expires.
//
// If lead returns while it leads, Run returns what lead returned. If the candidate has lost the lease, Run campaigns again, and may so call
// lead several times, one after the other; an error that lead returned is logged. When ctx ends, Run returns nil, or the error of lead.
// Run returns an error if an option is invalid, if lead panics, or if the API that the client belongs to closes. It leaves no goroutine.
func Run(ctx context.Context, options Options, lead func(ctx context.Context) error) error {
	options, err := options.withDefaults()
	if err != nil {
		return err
	}
	c := &candidate{Options: options}
	for {
		begun, err := c.campaign(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		t := &term{candidate: c, begun: begun}
		if err = t.serve(ctx, lead); !errors.Is(err, errLost) {
			return err
		}
		c.Logger.Log(ctx, slog.LevelError, "lost the lease", "error", err)
	}
}
