package conventions

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// words splits a name in camelCase: "podIPs" is pod and IPs, "httpGet" is http and Get. It returns at least one word.
func words(name string) []string {
	var out []string
	runes := []rune(name)
	if len(runes) == 0 {
		return []string{""}
	}
	from := 0
	cut := func(to int) {
		if to > from {
			out = append(out, string(runes[from:to]))
		}
		from = to
	}
	for i := 1; i < len(runes); i++ {
		before, at := unicode.IsUpper(runes[i-1]), unicode.IsUpper(runes[i])
		switch {
		case at && !before:
			cut(i)
		case !at && before && i-1 > from && !unicode.IsDigit(runes[i]) && !endsPlural(runes[i:]):
			cut(i - 1) // the last capital begins a word
		}
	}
	cut(len(runes))
	return out
}

// endsPlural reports whether the text behind capitals is the s of their plural.
func endsPlural(rest []rune) bool {
	return rest[0] == 's' && (len(rest) == 1 || unicode.IsUpper(rest[1]))
}

// lowerWords returns the words of a name in lower case.
func lowerWords(name string) []string {
	out := words(name)
	for i := range out {
		out[i] = strings.ToLower(out[i])
	}
	return out
}

// lastWord returns the last word of a name in lower case.
func lastWord(name string) string {
	words := lowerWords(name)
	return words[len(words)-1]
}

// wordSet is a set of words. It is built when a rule first needs it.
type wordSet func() map[string]bool

// setOf returns a set of the words in a text. A host that links the package without calling it pays nothing.
func setOf(text string) wordSet {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for _, w := range strings.Fields(text) {
			out[w] = true
		}
		return out
	})
}

func (s wordSet) has(word string) bool { return s()[word] }

// lettersOf returns a word without digits at its end: "Http2" is Http.
func lettersOf(word string) string { return strings.TrimRight(word, "0123456789") }

func hasVowel(word string) bool { return strings.ContainsAny(strings.ToLower(word), "aeiouy") }

// knownAcronyms are acronyms that readers know, in capitals (API conventions, Naming conventions: other acronyms are
// written out).
var knownAcronyms = setOf(`
	ACL ACME AES AI AMI AMQP API ARM ARN ASCII AWS AZ BGP BIOS BMC CA CD CDN CI CIDR CIFS CLI CMS CNAME CNI CORS CPU
	CRD CRI CRL CRM CRUD CSI CSR CSRF CSS CSV DB DHCP DN DNS DSA DVD EC ECDSA EOF ERP ETL FAQ FC FQDN FS FTP GB GCE
	GCP GCS GID GIF GMSA GPG GPL GPS GPU GRPC GUI GUID HA HD HDD HR HMAC HSM HTML HTTP HTTPS IAM ICMP ID IDE IDP
	IBAN IMAP IOPS IP IPC IPMI IPSEC IPV IPVS ISBN ISCSI ISO JPEG JS JSON JVM JWK JWKS JWT KB KMS KPI KVM LAN LB
	LDAP LED LLM LUN LVM MAC MB MD MFA MIME ML MPLS MQTT MTLS MTU NAS NAT NFC NFS NIC NTP NUMA NVME OAUTH OCI OCR
	OCSP OIDC OOM OS OTP PC PDF PEM PGP PHP PID PIN PKCS PKI PNG POP POSIX PR PV PVC QOS QPS QR RAID RAM RBAC RBD
	RDMA RDS REST RFC RGB ROM RPC RSA RSS SAML SAN SASL SCSI SCTP SDK SELINUX SFTP SHA SIP SKU SLA SLO SMB SMS SMTP
	SNI SNMP SNS SOA SOAP SQL SQS SRV SSD SSH SSL SSO SVG SWAP TB TCP TLS TOML TOTP TS TTL TTY TV TXT UDP UI UID UPS
	URI URL URN USB UTC UTF UUID VAT VIN VIP VLAN VM VNC VPC VPN VPS VR WAL WAN WWN WWW XFS XML XSS YAML ZFS`)

// isAcronym reports whether a word is a known acronym, its plural, or one with a number, in any case.
func isAcronym(word string) bool {
	upper := strings.ToUpper(lettersOf(word))
	return knownAcronyms.has(upper) || knownAcronyms.has(strings.TrimSuffix(upper, "S"))
}

// mixedAcronym returns a word of a name that is an acronym in mixed case.
func mixedAcronym(name string) string {
	for _, w := range words(name) {
		stem := lettersOf(w)
		if singular := strings.TrimSuffix(stem, "s"); !knownAcronyms.has(strings.ToUpper(stem)) {
			stem = singular
		}
		if knownAcronyms.has(strings.ToUpper(stem)) && !isEnglish.has(strings.ToLower(stem)) &&
			stem != strings.ToUpper(stem) && stem != strings.ToLower(stem) {
			return w
		}
	}
	return ""
}

// isEnglish are words that look like an acronym or like the beginning of a longer word, and are neither, and the small
// words of the language.
var isEnglish = setOf(`
	a about across act add after against age air all along alt among an and any app apps architect are area arm
	around art as ask at authentic author auto aver away back bad ban band bar base bat because bed been before
	behind being below beneath beside between beyond bid big bin bit bits block body book bot both box bra bud bun
	bus but buy by byte bytes cache call can cap car card care case cast cat cell char chart chat check city class
	clean clone close cloud club clue code coin cold collect color con connect coo cool copy core corn cost could
	cow crop cup cut cycle dash data date day days dead deal deep depend deploy desk despite did dim dire direct dis
	disc disco dish disk do does dog dom door down draft drain draw drop due during duty each east easy edge edit
	egg either else end entry even event ever every except exit expect express extent eye face fact fail fan farm
	fast fee feed few field file fill film fin fire first fish fit fix flag flat flow fly fold food foot for force
	fork form fox free fresh from front fuel full fun fund game gap gas gate gauge gene get gift give go goal gold
	good grade grant graph grid group grow had hall hand hard harvest has hash have head heat help here hide high
	hint hold hole home hook hop horizon host hour how hub idea idle if image implement in inform inner input
	inspect instruct inter into ints invent is it item its job jobs join just key keys kind lab label land lane
	large last late law lay layer lead leaf lease leg length lens less level life lift light like limit line link
	list live load local lock log logs long look loop loss low mail main make male man many map mark mask mass mat
	match max may meal mean meat menu mesh mess met meta method mid might milk min mind mini mint miss mix mode
	model module mood moon more most mount move much must my name near need nest net never new news next night no
	node non none nor not note now null of off often oil old on once one only onto open opera option or orbit order
	organ other our out outer outside over own pack pad page pair pan paper para park part pass past patch path
	pause pay peak peer pen per perform persist pet phase phone pick piece pin pipe place plan plane plant plate
	play plot plug pod point pole pool port post pot power pre prefer press price print prior pro probe proof prop
	proxy public pull pump pure push quest race rack rail rain ramp ran range rank rate rather raw reach read real
	red refer rent report reserve rest ride ring rise risk road robot role roll roof room root rope rose round route
	row rule run safe sail sale salt same sand save scale scan scene score scrape seal search season seat second
	sect seed select self sell send sense set sever shade shape share shed sheet shelf shell shift ship shoe shop
	short should show side sign silk since sink site size skin sky sleep slot slow small snow so soft soil some song
	soon sort sound source space spare spec specific speed spin split spot stack staff stage stamp stand star start
	state stay stem step still stock stop store story style sub subscript such sum sun swap sweep table tag tail
	take talk tank tap tape target task taste tempo tax tea team tech ten term test text than that the their them
	then there these they thing this those though three through throughout tick tide tie tier tile time tip title to
	toe together token tone too tool top total tour toward town toy trace track trade trail train transact tray tree
	trend tri trial trim trip truck true trunk trust try tube tune turn twice twin two type under unit until up upon
	us use user valid value van vat vault vent verse very view visa voice vote wage wait walk wall wan war ware warm
	warn was wash water wave way we week weight well were west wet what wheel when where whether which while who
	whom whose why wide wild will win wind window wine wing wire with within without wood word work would year yes
	yet yield you your zone`)

// vocabulary are the words that names of fields consist of most often. A name that runs two of them together, or
// begins one of them and stops, is not written as the conventions want it.
var vocabulary = setOf(`
	access account action address affinity algorithm allocation amount annotation application architecture argument
	attribute authentication authority authorization available average balance bandwidth barrier battery boundary
	branch bucket budget buffer bundle calculation calendar capability capacity category certificate channel
	character checksum client cluster collection command comment commit component condition config configuration
	connection constraint consumer container content context control controller coordinate counter country created
	credential current customer database deadline debug default delegate delivery dependency deployment description
	desired destination detail device dictionary difference dimension directory discount distance distribution
	document domain duration dynamic element employee encryption endpoint enabled energy engine environment error
	estimate evaluation exclude execution expected experiment expiration expression extension external factor
	failure feature filter finish flavor folder format forward frequency frontend function generation generator
	group handler header health height history horizontal hostname identifier identity implementation include index
	information ingress initial inspection instance instruction integer integration interface internal interval
	inventory invoice issuer journal kernel keyword label language latency latitude layout level library license
	limit listener location longitude maintenance management manager manifest manufacturer maximum measure member
	memory message metadata metric minimum mirror mode module monitor mountain multiple namespace network node
	notification number object observed operation operator optimization option order organization original outcome
	output overflow override owner package parallel parameter parent partition password pattern percent percentage
	performance period permission persistence person phase picture pipeline plugin policy pointer position
	preference prefix previous primary principal priority private process processor producer product production
	profile program progress project property protocol provider provision publication quality quantity query
	question queue random reason receiver recommendation record recovery reference region register registry regular
	relation release remote repeat replica replication report repository request required reservation resolution
	resource response result retention retry revision sample schedule schema scope script secondary secret section
	security segment selector sequence server service session setting severity shared signal signature source
	specification standard statistic status storage strategy stream string structure subject subnet subscription
	suffix summary supplier supported switch symbol synchronization system table target task temperature template
	temporary tenant term terminal text threshold throughput ticket timeout timestamp title token tolerance topic
	topology total traffic transaction transfer transform transport trigger upgrade usage username utility
	validation value variable vector vendor version vertical virtual visibility volume warehouse warning webhook
	weight window worker workload workspace`)

// isVocabulary reports whether a word, or its singular, is in the vocabulary or an English word of the other list.
func isVocabulary(word string) bool {
	for _, w := range []string{word, strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "es")} {
		if vocabulary.has(w) || isEnglish.has(w) {
			return true
		}
	}
	return strings.HasSuffix(word, "ies") && vocabulary.has(strings.TrimSuffix(word, "ies")+"y")
}

// wellKnown are short forms that every reader knows. The conventions allow them.
var wellKnown = setOf(`
	abs admin alias amp api app arg args async auth auto backend bool bytes cert certs cidr config cron ctl dev dir
	dirs dns doc docs email enum env ephemeral exec expr ext fqdn gen geo git gzip html http https id ids info init
	int io ip ipv js json jwt kms kube lang lib log login logout lz mac max meta metadata micro milli min mount
	multi nano oauth oidc ok org os passphrase pem perm phone pid png prod proxy pub ref refs regex regexp repo rev
	rgb rpm rps sha spec sql ssh ssl stats std stderr stdin stdout sub sudo sync sysctl sysctls tar tcp tls tmpfs
	tty tx txt udp ui uid uri url utf util uuid vm vpn web wifi www xml xz yaml zip zstd`)

// units are the units that a name may end in, in lower case. A reader knows them, although some have no vowel.
var units = setOf(`
	b bit bits bps byte bytes kb mb gb tb pb kib mib gib tib pib kbps mbps gbps bits hz khz mhz ghz v mv kv a ma w
	kw mw wh kwh j kj n pa kpa bar psi c f k m mm cm km dm nm um ft g kg mg t lb lbs oz l ml ms px pt em rem rpm rps
	qps tps fps iops db percent percentage ratio degrees celsius fahrenheit kelvin meters metres millimeters
	centimeters kilometers miles feet inches yards grams kilograms milligrams tonnes tons pounds liters litres
	milliliters gallons volts millivolts amps amperes milliamps watts kilowatts milliwatts joules hertz kilohertz
	megahertz gigahertz pascals lux lumens decibels pixels points dots cents euros dollars pence rupees yen
	nanoseconds microseconds milliseconds seconds minutes hours days weeks months years cores millicores millis
	micros thousandths permille bytes kilobytes megabytes gigabytes terabytes kibibytes mebibytes gibibytes
	tebibytes megabits gigabits kilobits permyriad knots`)

// contractions are abbreviations whose letters do not begin the whole word, or whose whole word is not obvious.
var contractions = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, pair := range strings.Fields(`addr:address avg:average bg:background btn:button calc:calculation cfg:config
		cmd:command cnt:count coeff:coefficient cond:condition conf:config conn:connection ctrl:controller ctx:context
		curr:current dept:department desc:description dest:destination dst:destination elem:element err:error
		fn:function freq:frequency grp:group hdr:header hist:history hrs:hours idx:index img:image impl:implementation
		instr:instruction len:length lvl:level mem:memory mgmt:management mgr:manager mins:minutes misc:miscellaneous
		msec:milliseconds msecs:milliseconds msg:message nr:number ns:namespace num:number obj:object op:operation
		ops:operations orig:original param:parameter params:parameters passwd:password pct:percent pkg:package
		pos:position pref:preference prefs:preferences prev:previous prio:priority proc:process prop:property
		props:properties ptr:pointer pw:password pwd:password qty:quantity rcv:receive recv:receive rel:relation
		req:request reqs:requests res:resource resp:response sched:schedule sec:seconds secs:seconds sel:selector
		seq:sequence sess:session sig:signature src:source srv:server stat:status str:string svc:service sys:system
		tbl:table temperat:temperature tmp:temporary tmpl:template tot:total trans:transaction usr:user val:value
		vals:values var:variable vars:variables ver:version vol:volume wght:weight`) {
		short, whole, _ := strings.Cut(pair, ":")
		out[short] = whole
	}
	return out
})

// wholeWord returns the word for which an abbreviation stands, or "" if the word is none. A word is an abbreviation if
// it has no vowel, or if it begins a much longer word of the vocabulary and is no word itself.
func wholeWord(word string) string {
	w := lettersOf(strings.ToLower(word))
	if whole := contractions()[w]; whole != "" {
		return whole
	}
	if wellKnown.has(w) || units.has(w) || isAcronym(w) || isVocabulary(w) {
		return ""
	}
	if len(w) > 1 && !hasVowel(w) {
		return "the whole word"
	}
	const missing = 3 // letters; fewer may be another form of the word
	stem := strings.TrimSuffix(w, "s")
	if len(stem) < 3 {
		return ""
	}
	var longer []string
	for v := range vocabulary() {
		if strings.HasPrefix(v, stem) && len(v)-len(stem) >= missing {
			longer = append(longer, v)
		}
	}
	if len(longer) == 0 {
		return ""
	}
	return slices.Min(longer)
}

// compound returns the camelCase form of a word in lower case that runs two words together, such as "myField" for
// myfield, or "".
func compound(word string) string {
	if len(word) < 6 || word != strings.ToLower(word) || isVocabulary(word) || wellKnown.has(word) ||
		closedCompounds.has(word) {
		return ""
	}
	for i := 2; i <= len(word)-3; i++ {
		left, right := word[:i], word[i:]
		isNoun := len(left) > 3 && (vocabulary.has(left) || things.has(left))
		if leading.has(left) && isVocabulary(right) || isNoun && trailing.has(right) ||
			len(left) > 4 && len(right) > 4 && vocabulary.has(left) && vocabulary.has(right) {
			return left + strings.ToUpper(right[:1]) + right[1:]
		}
	}
	return ""
}

// leading are words that begin the name of a field, and no English compound.
var leading = setOf(`
	my max min num total default desired current allowed enable disable enabled disabled preferred maximum minimum
	number initial original previous`)

// things are further nouns that names of fields begin with.
var things = setOf(`
	cloud disk event file group host image item job node order page pod port queue site task team user zone`)

// trailing are words that end the name of a field, and no English compound except for those of closedCompounds.
var trailing = setOf(`
	name names id ids type types count counts size sizes list lists ref refs key keys value values url uri mode
	policy class limit path seconds config number tag email address index group role version token`)

// closedCompounds are compounds that are written as one word.
var closedCompounds = setOf(`
	hostname hostnames username usernames filename filenames filepath nickname surname codename pathname keyword
	lifetime runtime uptime downtime timeout subtype prototype archetype datatype checklist whitelist blacklist
	allowlist denylist playlist masterclass subclass namespace minimal minimize maximize mineral minister mining
	mystery mint numeral numbers enabled disabled totally`)

// hasOneForm reports whether a noun has the same form in the plural.
func hasOneForm(plural string) bool {
	return strings.HasSuffix(plural, "series") || strings.HasSuffix(plural, "species") ||
		strings.HasSuffix(plural, "craft") || strings.HasSuffix(plural, "sheep") || strings.HasSuffix(plural, "deer") ||
		strings.HasSuffix(plural, "fish")
}

// isPlural reports whether a word looks like the plural of a noun. Both are in lower case, and may consist of several
// words.
func isPlural(plural, singular string) bool {
	if strings.HasSuffix(plural, "s") {
		return !isMisspelled(plural, singular)
	}
	for _, irregular := range [][2]string{{"people", "person"}, {"men", "man"}, {"children", "child"}, {"feet", "foot"},
		{"teeth", "tooth"}, {"geese", "goose"}, {"mice", "mouse"}, {"lice", "louse"}, {"oxen", "ox"}, {"a", "um"},
		{"a", "on"}, {"ae", "a"}, {"i", "us"}, {"i", "o"}, {"x", ""}} {
		stem, isForm := strings.CutSuffix(plural, irregular[0])
		if isForm && singular == stem+irregular[1] && len(singular) > 1 {
			return true
		}
	}
	return false
}

// isMisspelled reports whether a plural has an s where English has es or ies.
func isMisspelled(plural, singular string) bool {
	if plural != singular+"s" {
		return false
	}
	for _, end := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(singular, end) && !strings.HasSuffix(singular, "arch") {
			return true
		}
	}
	stem, ok := strings.CutSuffix(singular, "y")
	return ok && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou")
}
