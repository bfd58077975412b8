package conventions

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// actions are verbs for what somebody does once. A field that asks for it again after it was done has no meaning as
// desired state (API conventions, Naming conventions).
var actions = setOf(`
	abort activate add apply approve archive backup boot build calculate call cancel clean clear clone commit
	compile copy create deactivate decommission delete deploy destroy detach do drain drop dump eject enforce
	execute export failover fetch fix flush force format generate handle import init initialize install invoke kick
	kill launch load make manage migrate move notify perform ping process promote provision prune publish purge push
	reapply reboot rebuild recalculate recompute reconcile recover recreate redeploy reduce refresh register reindex
	reinstall reissue reload remove rename render renew repair replace replay reprocess request rerun reset resize
	restart restore resume resync retry revert revoke roll rollback rotate run scan schedule send setup ship
	shutdown spawn start stop submit swap switch sync synchronize teardown terminate test toggle transfer trigger
	uninstall unlock unmount unregister update upgrade upload validate verify wipe write`)

// nouns are actions that are nouns or adjectives as often: a backup, a scheduled time. Alone, or before another noun,
// they do not make a name imperative.
var nouns = setOf(`
	approve archive backup boot build call clean clear clone commit copy deploy drain drop dump export failover fix
	force format import init install kick kill launch load make move ping process promote provision push refresh
	register render repair replay request reset restart restore resume retry rollback run scan schedule setup ship
	shutdown start stop swap switch sync teardown test toggle transfer trigger update upgrade upload write`)

// isAction reports whether a word in lower case is a verb for what somebody does once: a known one, or one with the
// ending of a verb.
func isAction(word string) bool {
	if actions.has(word) {
		return true
	}
	isVerb := strings.HasSuffix(word, "ify") || len(word) > 5 && strings.HasSuffix(word, "ize") ||
		len(word) > 6 && strings.HasSuffix(word, "ate")
	return isVerb && !isVocabulary(word) && !notVerbs.has(word)
}

// notVerbs are nouns and adjectives with the ending of a verb.
var notVerbs = setOf(`
	accurate adequate aggregate alternate appropriate approximate candidate certificate climate corporate delegate
	duplicate elaborate intermediate immediate legitimate moderate outsize private separate ultimate`)

// heads are nouns that an action in front of them only describes: a deletePolicy says when, and deletes nothing.
var heads = setOf(`
	action algorithm approval args at attempts backoff behavior budget chance class code command concurrency
	condition config configuration container cooldown count counter cron days deadline default delay depth duration
	env error event failures format grace group handler hook hooks hours image info interval job jobs key kind limit
	limits list log logs message method milliseconds minutes mode name ons options order parameters path percent
	percentage period phase plan plugin point policies policy pool port priority probe process protection queue rate
	reason ref refs result retention retries role rule rules schedule script seconds selector signal size source
	spec state status step steps strategies strategy target targets template threshold time timeout token trigger
	type types url user username version volume wait weight window`)

func declarative(p *place) string {
	all := lowerWords(p.name())
	if len(all) == 1 {
		if p.schema.Type == schema.BooleanType && isAction(all[0]) {
			return "asks for an action: name the state that is wanted, such as paused rather than pause; for something that " +
				"happens once, offer a subresource"
		}
		return ""
	}
	if reason := doneBy(p, all); reason != "" {
		return reason
	}
	if doer := agent(all[len(all)-1]); doer != "" && !isReference(p) {
		return fmt.Sprintf("is named after what does something: name the thing that is wanted, not what %s it", doer)
	}
	if isImperative(p, all) {
		return fmt.Sprintf("begins with the verb %q: names are declarative, so name the state that is wanted, or the thing",
			all[0])
	}
	return ""
}

// doneBy finds names such as createdBy and expiresAt. A name such as sortBy says how, not who.
func doneBy(p *place, all []string) string {
	const say = "describes an action: names are declarative, without %s at the end"
	switch last := all[len(all)-1]; {
	case isTime(p):
		return ""
	case last == "at":
		return fmt.Sprintf(say, "At")
	case (last == "by" || last == "on") && isParticiple(all[len(all)-2]):
		return fmt.Sprintf(say, strings.ToUpper(last[:1])+last[1:])
	}
	return ""
}

// isParticiple reports whether a word is the past participle of a verb.
func isParticiple(word string) bool {
	return strings.HasSuffix(word, "ed") || irregularParticiples.has(word)
}

var irregularParticiples = setOf(`
	begun begotten born bought broken brought built chosen done drawn driven eaten fed forgiven found given grown
	held kept known laid led left lent lost made met paid put read run said seen sent set shown shut sold spent spun
	sung taken taught thrown told understood won woken worn written`)

// isImperative reports whether a name begins with the verb of an action. Before most nouns only a type can tell whether
// it does: restartDatabase is imperative as a boolean, restartPolicy never is.
func isImperative(p *place, all []string) bool {
	first, last := all[0], all[len(all)-1]
	switch {
	case !isAction(first), isParticiple(last):
		return false
	case p.schema.Type == schema.BooleanType:
		return !strings.HasSuffix(last, "able") && last != "ready"
	}
	return !nouns.has(first) && !heads.has(last)
}

// agent returns the verb, in the third person, from which a noun for a doer is made: runs for runner. It returns "" for
// any other word, and for nouns whose verb does not name an action, such as server.
func agent(word string) string {
	stem, ok := strings.CutSuffix(word, "er")
	if !ok {
		stem, ok = strings.CutSuffix(word, "or")
	}
	if !ok || len(stem) < 2 || agents.has(word) {
		return ""
	}
	before, end := stem[:len(stem)-1], stem[len(stem)-1:]
	switch {
	case isAction(stem):
		return third(stem)
	case isAction(stem + "e"):
		return third(stem + "e")
	case isAction(before) && strings.HasSuffix(before, end): // runner
		return third(before)
	case end == "i" && isAction(before+"y"): // notifier
		return third(before + "y")
	}
	return ""
}

// third returns the third person of a verb.
func third(verb string) string {
	switch {
	case strings.HasSuffix(verb, "o"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ss"):
		return verb + "es"
	case strings.HasSuffix(verb, "y") && !strings.ContainsAny(verb[len(verb)-2:], "aeiou"):
		return verb[:len(verb)-1] + "ies"
	}
	return verb + "s"
}

// agents are nouns that have the form of a doer, and are the name of a thing.
var agents = setOf(`container folder header maker number order user writer`)

func declarativeKind(k *kind) (string, string) {
	all := lowerWords(k.kind)
	if len(all) < 2 {
		return "", ""
	}
	first, last := all[0], all[len(all)-1]
	if doer := agent(last); doer != "" {
		return "", fmt.Sprintf("the kind %q is named after what does something: name it after the thing that it %s", k.kind,
			doer)
	}
	isVerb := !nouns.has(first) || first == "run" || first == "start" || first == "stop"
	if isAction(first) && isVerb && !heads.has(last) {
		return "", fmt.Sprintf("the kind %q begins with the verb %q: objects are things, so name it after the thing", k.kind,
			first)
	}
	return "", ""
}
