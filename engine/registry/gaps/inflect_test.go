package gaps

import (
	"strings"
	"testing"
)

// TestInfinitive: names are made of verbs as a dictionary has them.
func TestInfinitive(t *testing.T) {
	inflected(t, infinitive, 300, `
		adding add ironing iron editing edit freezing freeze comparing compare measuring measure ignoring ignore sending send faxing fax translating translate making make
		storing store saving save managing manage parsing parse running run planning plan scanning scan calling call selling sell passing pass missing miss fizzing fizz buzzing buzz
		staffing staff sniffing sniff seeing see agreeing agree freeing free dying die lying lie tying tie untying untie relying rely copying copy paying pay buying buy trying try
		using use reusing reuse going go doing do being be icing ice aging age eating eat reading read cleaning clean loading load uploading upload downloading download joining join
		training train explaining explain repairing repair repeating repeat treating treat heating heat creating create recreating recreate evaluating evaluate activating activate
		associating associate negotiating negotiate equating equate quoting quote requiring require acquiring acquire squeezing squeeze queuing queue queueing queue continuing continue
		issuing issue rescuing rescue arguing argue valuing value slicing slice dancing dance producing produce reducing reduce syncing sync tracing trace mimicking mimic picking pick
		clicking click checking check trafficking traffic changing change arranging arrange exchanging exchange challenging challenge judging judge merging merge charging charge
		bridging bridge bringing bring singing sing hanging hang pinging ping belonging belong plunging plunge cataloging catalog logging log debugging debug tagging tag obliging oblige
		coding code encoding encode decoding decode hiding hide providing provide deciding decide dividing divide overriding override avoiding avoid guiding guide including include
		concluding conclude clouding cloud upgrading upgrade trading trade naming name renaming rename framing frame streaming stream programming program diagramming diagram timing time
		claiming claim welcoming welcome becoming become customing custom assuming assume consuming consume combining combine defining define examining examine determining determine
		imagining imagine refining refine lining line outlining outline mining mine ruining ruin beginning begin pinning pin mentioning mention positioning position reasoning reason
		phoning phone postponing postpone cloning clone opening open listening listen sharpening sharpen convening convene intervening intervene scheduling schedule compiling compile
		profiling profile reconciling reconcile filing file emailing email consoling console controlling control labelling label labeling label modelling model cancelling cancel
		travelling travel traveling travel installing install recalling recall spelling spell filling fill rolling roll pulling pull polling poll scrolling scroll compelling compel
		expelling expel enabling enable handling handle sampling sample titling title shuffling shuffle juggling juggle tackling tackle recycling recycle puzzling puzzle crawling crawl
		filtering filter ordering order rendering render interfering interfere monitoring monitor coloring color honoring honor refactoring refactor exploring explore restoring restore
		scoring score sponsoring sponsor sharing share preparing prepare declaring declare clearing clear soaring soar hiring hire inspiring inspire capturing capture securing secure
		configuring configure structuring structure pouring pour preferring prefer occurring occur deleting delete completing complete targeting target marketing market budgeting budget
		interpreting interpret visiting visit limiting limit auditing audit depositing deposit inheriting inherit submitting submit inviting invite writing write rewriting rewrite
		overwriting overwrite uniting unite exciting excite reciting recite voting vote promoting promote pivoting pivot computing compute executing execute distributing distribute
		routing route outputting output formatting format chatting chat typing type prototyping prototype styling style analyzing analyze organizing organize resizing resize gazing gaze
		quizzing quiz closing close choosing choose browsing browse releasing release purchasing purchase focusing focus licensing license collapsing collapse processing process
		smoking smoke taking take invoking invoke mistaking mistake booking book looking look describing describe subscribing subscribe absorbing absorb probing probe shaping shape
		reshaping reshape escaping escape developing develop worshipping worship stripping strip scoping scope grouping group looping loop stopping stop breathing breathe clothing clothe
		smoothing smooth pasting paste tasting taste testing test posting post hosting host requesting request printing print sorting sort exporting export importing import building build
		fetching fetch pushing push watching watch patching patch signing sign designing design climbing climb viewing view reviewing review drawing draw showing show owing owe boxing box
		fixing fix mixing mix solving solve serving serve receiving receive moving move removing remove knitting knit swimming swim cutting cut getting get shipping ship mapping map
		wrapping wrap skiing ski debiting debit crediting credit permeating permeate centring centre forecasting forecast morning morning string string
		sends send watches watch caches cache goes go does do copies copy passes pass focuses focus analyses analyse leaves leave
	`)
}

// TestSingular: names are made of nouns as a dictionary has them.
func TestSingular(t *testing.T) {
	inflected(t, singular, 120, `
		shoes shoe shirts shirt videos video photos photo logos logo files file prices price rooms room lines line numbers number faxes fax boxes box indexes index taxes tax classes class
		addresses address processes process buzzes buzz waltzes waltz matches match branches branch caches cache headaches headache dishes dish crashes crash heroes hero potatoes potato
		echoes echo toes toe canoes canoe invoices invoice images image pages page releases release databases database purchases purchase phases phase cases case houses house
		warehouses warehouse causes cause clauses clause uses use fuses fuse buses bus viruses virus statuses status bonuses bonus campuses campus biases bias aliases alias canvases canvas
		gases gas lenses lens responses response licenses license sizes size quizzes quiz queries query copies copy entries entry categories category companies company movies movie cookies cookie
		calories calorie ties tie series series species species news news views view reviews review crews crew metrics metric topics topic clinics clinic statistics statistics analytics analytics
		physics physics schemas schema cameras camera areas area pizzas pizza bias bias canvas canvas chaos chaos macos macos menus menu cpus cpu virus virus status status analysis analysis
		basis basis apis api taxis taxi wikis wiki emojis emoji axis axis redis redis kubernetes kubernetes postgres postgres windows windows sales sales pandas pandas glass glass address address
		analyses analysis diagnoses diagnosis hypotheses hypothesis indices index matrices matrix people person children child mice mouse knives knife shelves shelf leaves leaf lives life
		wolves wolf criteria criterion days day keys key toys toy letters letter tickets ticket repos repo todos todo plus plus dns dns gps gps laptops laptop maps map charts chart
	`)
}

// TestNameOf: all forms of a purpose have one name.
func TestNameOf(t *testing.T) {
	for purpose, want := range map[string]string{
		"adding numbers": "add-number", "ironing shirts": "iron-shirt", "shining shoes": "shine-shoe", "editing videos": "edit-video", "freezing files": "freeze-file",
		"comparing prices": "compare-price", "measuring rooms": "measure-room", "ignoring lines": "ignore-line", "to send a fax": "send-fax", "sends faxes": "send-fax", "sending faxes": "send-fax",
		"deploying to Kubernetes": "deploy-kubernetes",
	} {
		if got := nameOf(purpose, 3); got != want {
			t.Errorf("%s: %s, not %s", purpose, got, want)
		}
	}
}

// inflected checks at least so many pairs of an inflected word and its base form.
func inflected(t *testing.T, base func(string) string, least int, text string) {
	t.Helper()
	pairs := strings.Fields(text)
	for i := 0; i < len(pairs); i += 2 {
		if got := base(pairs[i]); got != pairs[i+1] {
			t.Errorf("%s: %s, not %s", pairs[i], got, pairs[i+1])
		}
	}
	if len(pairs) < 2*least {
		t.Errorf("only %d pairs", len(pairs)/2)
	}
}
