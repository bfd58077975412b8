// Package callout is the HTTPS client through which an API calls webhooks: those that convert objects and those that
// review them. Users of the API choose the addresses of webhooks, so the client assumes that an address, and the server
// behind it, may be hostile.
//
//	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext})
//	if err != nil {
//		return err
//	}
//	defer calls.Close()
//
// The client opens connections only through the host's Dial, and only to addresses that the host's Allow permits. It
// speaks HTTPS and nothing else, follows no redirect, uses no proxy of the environment, and sends no credentials that
// the host has not given it. It limits how long a call takes and how large an answer is. Its errors never quote an
// answer, because a webhook can point at any server, and the answer is not for the user who configured it.
package callout
