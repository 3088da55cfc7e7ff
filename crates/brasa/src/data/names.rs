//! First names, one per line, for character models.

/// Some 300 lowercase first names, each followed by a line break.
pub fn names() -> &'static str {
    NAMES
}

const NAMES: &str = "\
aaron\nabel\nada\nadam\nadela\nadrian\nagata\nagnes\naileen\nalan\nalba\nalbert\nalena\nalex\n\
alexa\nalfred\nalice\nalina\nalma\nalois\nalva\namelia\namos\namy\nana\nandrea\nandrew\nanete\n\
anita\nanka\nanna\nanton\narlene\narnold\narthur\nastrid\naugust\naurora\nava\nbarbara\nbart\n\
beata\nbela\nbella\nben\nbenita\nberta\nbianca\nbirgit\nboris\nbrian\nbruno\ncamilla\ncarla\n\
carlos\ncarmen\ncarol\ncecilia\nchiara\nchloe\nclara\nclaudia\nclemens\ncora\ncornelia\ncyril\n\
daisy\ndalia\ndana\ndaniel\ndaphne\ndaria\ndarius\ndavid\ndelia\ndenis\ndiana\ndino\ndolores\n\
dora\ndorothea\nedgar\nedith\neduard\nelena\neleonora\neliana\nelias\nelisa\nella\nelmar\nelsa\n\
emil\nemilia\nemma\nenzo\nerica\nernest\nesther\neugene\neva\nevelyn\nfabian\nfelicia\nfelix\n\
fernando\nfilip\nfiona\nflora\nflorian\nfrank\nfreya\nfrida\ngabriel\ngemma\ngeorg\ngerald\n\
gerda\ngilbert\ngina\ngisela\ngloria\ngrace\ngreta\nguido\ngustav\nhanna\nhannes\nharald\n\
harriet\nhazel\nheidi\nhelen\nhelga\nhenry\nhermine\nhilda\nhubert\nhugo\nida\nignaz\nilona\n\
ilse\nimre\nines\ningrid\niris\nirma\nisaac\nisabel\nivan\nivy\njacob\njana\njaromir\njasmin\n\
jasper\njeanne\njerome\njoan\njohanna\njonas\njoseph\njudith\njulia\njulius\njustin\nkaren\n\
karl\nkarolina\nkasimir\nkatja\nkilian\nklaus\nkonrad\nlara\nlaura\nlaurin\nlea\nleander\n\
lena\nleo\nleonie\nleopold\nlidia\nlilian\nlinda\nlinus\nlisa\nlivia\nlore\nlorenz\nlothar\n\
louis\nlucas\nlucia\nludwig\nluisa\nluna\nmagda\nmanuel\nmara\nmarcel\nmargit\nmaria\nmarina\n\
marius\nmarlene\nmartha\nmartin\nmatilda\nmatthias\nmaurice\nmax\nmelina\nmichael\nmila\n\
miles\nmina\nmira\nmiriam\nmoritz\nnadia\nnaomi\nnatalia\nnathan\nnelly\nnicolas\nnina\nnoah\n\
nora\nnorbert\noctavia\nolga\noliver\nolivia\noscar\notto\npablo\npamela\npatrick\npaul\npaula\n\
perla\npeter\npetra\nphilip\nphoebe\npia\nquentin\nrafael\nraimund\nralf\nramona\nraphaela\n\
rebecca\nregina\nrena\nrichard\nrita\nrobert\nroland\nroman\nrosa\nroswitha\nrudolf\nruth\n\
sabina\nsamuel\nsandra\nsara\nsebastian\nselma\nsiegfried\nsilvia\nsimon\nsofia\nsonja\nstefan\n\
stella\nsusanna\nsven\ntamara\ntanja\ntatjana\nteresa\ntheo\nthomas\ntilda\ntimo\ntobias\nulrich\n\
urban\nursula\nvalentin\nvalerie\nvera\nveronica\nvictor\nvincent\nviola\nvirginia\nvito\n\
waltraud\nwanda\nwerner\nwilhelm\nwinfried\nwolfgang\nxaver\nyara\nyvonne\nzacharias\nzelda\n\
zita\nzoe\n";
