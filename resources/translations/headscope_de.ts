<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_GB">
<context>
    <name>AblationText</name>
    <message>
        <source>Loss %1 → %2 (&lt;b&gt;%3&lt;/b&gt;) nats</source>
        <translation>Loss %1 → %2 (&lt;b&gt;%3&lt;/b&gt;) nats</translation>
    </message>
    <message>
        <source>KL %1 nats</source>
        <translation>KL %1 nats</translation>
    </message>
    <message>
        <source>1 head ablated</source>
        <translation>1 Kopf ablatiert</translation>
    </message>
    <message>
        <source>%1 heads ablated</source>
        <translation>%1 Köpfe ablatiert</translation>
    </message>
    <message>
        <source>No loss: it needs a prompt of two tokens and a vocabulary.</source>
        <translation>Kein Loss: Dafür braucht es einen Prompt aus zwei Tokens und ein Vokabular.</translation>
    </message>
    <message>
        <source>No loss: this model predicts no next token.</source>
        <translation>Kein Loss: Dieses Modell sagt kein nächstes Token vorher.</translation>
    </message>
    <message>
        <source>Loss %1 nats per token, no head ablated</source>
        <translation>Loss %1 nats pro Token, kein Kopf ablatiert</translation>
    </message>
    <message>
        <source>Loss %1 → %2 (%3, %4)</source>
        <translation>Loss %1 → %2 (%3, %4)</translation>
    </message>
    <message>
        <source>mean over the positions of the prompt</source>
        <translation>Mittel über die Positionen des Prompts</translation>
    </message>
    <message>
        <source>From the whole model to the one with heads ablated. Percent: probability of a class. KL: divergence from the whole model, %1.</source>
        <translation>Vom ganzen Modell zu dem mit ablatierten Köpfen. Prozent: Wahrscheinlichkeit einer Klasse. KL: Divergenz vom ganzen Modell, %1.</translation>
    </message>
    <message>
        <source>where the classes are read</source>
        <translation>dort, wo die Klassen abgelesen werden</translation>
    </message>
    <message>
        <source>From the whole model to the one with heads ablated. Loss: mean over the tokens of the prompt. Percent: probability as the next token. KL: divergence from the whole model, %1.</source>
        <translation>Vom ganzen Modell zu dem mit ablatierten Köpfen. Loss: Mittel über die Tokens des Prompts. Prozent: Wahrscheinlichkeit als nächstes Token. KL: Divergenz vom ganzen Modell, %1.</translation>
    </message>
    <message>
        <source>where the next token is predicted</source>
        <translation>dort, wo das nächste Token vorhergesagt wird</translation>
    </message>
</context>
<context>
    <name>AnalysisText</name>
    <message>
        <source>score input measured on labels</source>
        <translation>Score Eingabe gemessen auf Typen Labels</translation>
    </message>
    <message>
        <source>Types from &amp;a Prompt Set</source>
        <translation>Typen aus einem Prompt-S&amp;et</translation>
    </message>
    <message>
        <source>Types are the means over the prompts of the window Prompt Set</source>
        <translation>Typen sind die Mittel über die Prompts des Fensters „Prompt-Set“</translation>
    </message>
    <message>
        <source>No prompt set has been run on this model yet; “Prompt Set …” runs one.</source>
        <translation>Mit diesem Modell ist noch kein Prompt-Set gelaufen; „Prompt-Set …“ lässt eines laufen.</translation>
    </message>
    <message>
        <source>Types from &amp;Repeats and Sentences</source>
        <translation>Typen aus Wiederholungen und Sät&amp;zen</translation>
    </message>
    <message>
        <source>Types from This &amp;Prompt</source>
        <translation>Typen aus diesem &amp;Prompt</translation>
    </message>
    <message>
        <source>Score &amp;Heads Again</source>
        <translation>Köpfe &amp;neu bewerten</translation>
    </message>
    <message>
        <source>measure types labels</source>
        <translation>messen Typen Labels Scores</translation>
    </message>
    <message>
        <source>Reset &amp;Thresholds</source>
        <translation>Schwellen zu&amp;rücksetzen</translation>
    </message>
    <message>
        <source>labels types</source>
        <translation>Labels Typen</translation>
    </message>
    <message>
        <source>E&amp;ffect of Ablating This Head</source>
        <translation>Wirkung der &amp;Ablation dieses Kopfs</translation>
    </message>
    <message>
        <source>ablation test does it matter cause</source>
        <translation>Ablation Test Effekt Ursache ist er wichtig</translation>
    </message>
    <message>
        <source>Effects of Ablating All &amp;Labelled Heads</source>
        <translation>Wirkungen der Ablation aller Köpfe mit T&amp;yp</translation>
    </message>
    <message>
        <source>ablation test do they matter cause types</source>
        <translation>Ablation Test Effekt Ursache sind sie wichtig Typen</translation>
    </message>
    <message>
        <source>C&amp;ompare with Another Prompt or Model</source>
        <translation>Mit anderem Prompt oder Modell &amp;vergleichen</translation>
    </message>
    <message>
        <source>A B difference second prompt side by side checkpoint</source>
        <translation>A B Differenz zweiter Prompt nebeneinander Checkpoint</translation>
    </message>
    <message>
        <source>Compare with the &amp;Whole Model</source>
        <translation>Mit dem &amp;ganzen Modell vergleichen</translation>
    </message>
    <message>
        <source>A B difference ablated all heads on before after</source>
        <translation>A B Differenz ablatiert alle Köpfe an vorher nachher</translation>
    </message>
    <message>
        <source>Show the &amp;Next of A, B and B − A</source>
        <translation>Nä&amp;chstes von A, B und B − A zeigen</translation>
    </message>
    <message>
        <source>compare side difference switch</source>
        <translation>vergleichen Seite Differenz wechseln</translation>
    </message>
    <message>
        <source>Patch Acti&amp;vations Between A and B …</source>
        <translation>Aktivierungen zwischen A und B pa&amp;tchen …</translation>
    </message>
    <message>
        <source>causal tracing path patching restore corrupted clean attribution patching</source>
        <translation>Causal Tracing Path Patching wiederherstellen corrupted clean Attribution Patching</translation>
    </message>
    <message>
        <source>Pro&amp;mpt Set …</source>
        <translation>Pro&amp;mpt-Set …</translation>
    </message>
    <message>
        <source>many prompts dataset batch mean loss file jsonl</source>
        <translation>viele Prompts Datensatz Batch mittlerer Loss Datei jsonl</translation>
    </message>
    <message>
        <source>E&amp;xamples from a Text …</source>
        <translation>Beispiele aus einem Te&amp;xt …</translation>
    </message>
    <message>
        <source>corpus dataset strongest deciles histogram HeadVis Neuronpedia max activating</source>
        <translation>Korpus Datensatz stärkste Dezile Histogramm HeadVis Neuronpedia maximal aktivierend</translation>
    </message>
    <message>
        <source>All &amp;Scores …</source>
        <translation>A&amp;lle Scores …</translation>
    </message>
    <message>
        <source>table scatter types</source>
        <translation>Tabelle Streudiagramm Typen</translation>
    </message>
    <message>
        <source>&amp;Direct Logit Attribution and Logit Lens …</source>
        <translation>&amp;Direkte Logit-Attribution und Logit-Linse …</translation>
    </message>
    <message>
        <source>DLA where the prediction comes from readout</source>
        <translation>DLA woher die Vorhersage kommt Readout</translation>
    </message>
    <message>
        <source>OV/QK &amp;Circuits …</source>
        <translation>&amp;OV/QK-Schaltkreise …</translation>
    </message>
    <message>
        <source>weights composition copying eigenvalues</source>
        <translation>Gewichte Komposition Kopieren Eigenwerte Circuits</translation>
    </message>
    <message>
        <source>Head S&amp;imilarity …</source>
        <translation>Ähnlich&amp;keit der Köpfe …</translation>
    </message>
    <message>
        <source>similarity redundancy clusters distance</source>
        <translation>Ähnlichkeit Redundanz Cluster Abstand</translation>
    </message>
    <message>
        <source>Pr&amp;une Heads …</source>
        <translation>Köpfe pr&amp;unen …</translation>
    </message>
    <message>
        <source>pruning smaller model remove curve recipe compensation</source>
        <translation>Pruning kleineres Modell entfernen Kurve Rezept Ausgleich</translation>
    </message>
    <message>
        <source>Test This Head&apos;s La&amp;bels</source>
        <translation>La&amp;bels dieses Kopfs prüfen</translation>
    </message>
    <message>
        <source>trust cause specific needed transfers stable grade</source>
        <translation>Vertrauen Ursache spezifisch gebraucht übertragbar stabil Note Label Test</translation>
    </message>
    <message>
        <source>T&amp;est All Labels</source>
        <translation>Alle Labels prü&amp;fen</translation>
    </message>
    <message>
        <source>trust cause specific needed transfers stable grades</source>
        <translation>Vertrauen Ursache spezifisch gebraucht übertragbar stabil Noten Labels Test</translation>
    </message>
</context>
<context>
    <name>CellText</name>
    <message>
        <source>not defined</source>
        <translation>nicht definiert</translation>
    </message>
    <message>
        <source>Ablating it (%1): %2, %3 nats</source>
        <translation>Ablation (%1): %2, %3 nats</translation>
    </message>
</context>
<context>
    <name>Circuits</name>
    <message>
        <source>Rotary positions: queries and keys of Q- and K-composition at offset %1.</source>
        <translation>Rotary-Positionen: Queries und Keys der Q- und K-Komposition beim Versatz %1.</translation>
    </message>
    <message>
        <source>%1-composition</source>
        <translation>%1-Komposition</translation>
    </message>
    <message>
        <source>only heads of later layers read what a head writes</source>
        <translation>nur Köpfe späterer Schichten lesen, was ein Kopf schreibt</translation>
    </message>
    <message>
        <source>%1 %2, %3 above the baseline</source>
        <translation>%1 %2, %3 über der Baseline</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>The head that writes</source>
        <translation>Der Kopf, der schreibt</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Nach</translation>
    </message>
    <message>
        <source>The later head that reads it</source>
        <translation>Der spätere Kopf, der es liest</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>‖W_A W_B‖ / (‖W_A‖ ‖W_B‖), Frobenius norms (Elhage et al. 2021)</source>
        <translation>‖W_A W_B‖ / (‖W_A‖ ‖W_B‖), Frobeniusnormen (Elhage et al. 2021)</translation>
    </message>
    <message>
        <source>Above baseline</source>
        <translation>Über Baseline</translation>
    </message>
    <message>
        <source>The score minus the baseline, which is what random matrices score</source>
        <translation>Der Score minus die Baseline, den Score von Zufallsmatrizen</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Σ Re λ / Σ |λ|</source>
        <translation>Σ Re λ / Σ |λ|</translation>
    </message>
    <message>
        <source>Copying score by the eigenvalues λ of W_E W_V W_O W_U, −1 to 1: 1 when attending to a token raises that token (Elhage et al. 2021)</source>
        <translation>Kopier-Score nach den Eigenwerten λ von W_E W_V W_O W_U, −1 bis 1: 1, wenn Aufmerksamkeit auf ein Token dieses Token anhebt (Elhage et al. 2021)</translation>
    </message>
</context>
<context>
    <name>ColourMap</name>
    <message>
        <source>Viridis</source>
        <translation>Viridis</translation>
    </message>
    <message>
        <source>Cividis</source>
        <translation>Cividis</translation>
    </message>
    <message>
        <source>Greys</source>
        <translation>Graustufen</translation>
    </message>
    <message>
        <source>Red and blue</source>
        <translation>Rot und Blau</translation>
    </message>
</context>
<context>
    <name>CommandText</name>
    <message>
        <source>Select another head or layer, in the grid and in the pattern; another token in text and lines</source>
        <translation>Anderen Kopf oder andere Schicht wählen, im Raster und im Muster; in Text und Linien ein anderes Token</translation>
    </message>
    <message>
        <source>Choose more heads in the grid</source>
        <translation>Weitere Köpfe im Raster wählen</translation>
    </message>
    <message>
        <source>Zoom the pattern in, out, and back to all of it</source>
        <translation>Muster vergrößern, verkleinern und wieder ganz zeigen</translation>
    </message>
    <message>
        <source>Move the locked row of the pattern</source>
        <translation>Festgehaltene Zeile des Musters verschieben</translation>
    </message>
    <message>
        <source>Let a token of B stand for the locked one of A</source>
        <translation>Ein Token von B für das festgehaltene von A stehen lassen</translation>
    </message>
    <message>
        <source>Unlock the row</source>
        <translation>Zeile loslassen</translation>
    </message>
</context>
<context>
    <name>CoreText</name>
    <message>
        <source>%1, about %2 left</source>
        <translation>%1, noch etwa %2</translation>
    </message>
    <message>
        <source>layer %1 of %2</source>
        <translation>Schicht %1 von %2</translation>
    </message>
    <message>
        <source>opening %1</source>
        <translation>%1 wird geöffnet</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>bereit</translation>
    </message>
    <message>
        <source>hashing the file</source>
        <translation>Prüfsumme der Datei</translation>
    </message>
    <message>
        <source>writing %1</source>
        <translation>%1 wird geschrieben</translation>
    </message>
    <message>
        <source>written</source>
        <translation>geschrieben</translation>
    </message>
    <message>
        <source>scoring heads</source>
        <translation>Köpfe werden bewertet</translation>
    </message>
    <message>
        <source>scoring heads, sequence %1 of %2</source>
        <translation>Köpfe werden bewertet, Folge %1 von %2</translation>
    </message>
    <message>
        <source>what heads do with names</source>
        <translation>was Köpfe mit Namen tun</translation>
    </message>
    <message>
        <source>looking for examples, sequence %1 of %2</source>
        <translation>Suche nach Beispielen, Folge %1 von %2</translation>
    </message>
    <message>
        <source>reading examples</source>
        <translation>Beispiele werden gelesen</translation>
    </message>
    <message>
        <source>reading examples, sequence %1 of %2</source>
        <translation>Beispiele werden gelesen, Folge %1 von %2</translation>
    </message>
    <message>
        <source>examples of head %1</source>
        <translation>Beispiele von Kopf %1</translation>
    </message>
    <message>
        <source>reading weights</source>
        <translation>Gewichte werden gelesen</translation>
    </message>
    <message>
        <source>reading depth %1</source>
        <translation>Tiefe %1 wird gelesen</translation>
    </message>
    <message>
        <source>reading %1</source>
        <translation>%1 wird gelesen</translation>
    </message>
    <message>
        <source>ablating %1 and heads near it, sequence %2</source>
        <translation>Ablation von %1 und Köpfen in der Nähe, Folge %2</translation>
    </message>
    <message>
        <source>token %1 of %2</source>
        <translation>Token %1 von %2</translation>
    </message>
    <message>
        <source>prompt %1 of %2</source>
        <translation>Prompt %1 von %2</translation>
    </message>
    <message>
        <source>thumbnails</source>
        <translation>Vorschaubilder</translation>
    </message>
    <message>
        <source>the whole model</source>
        <translation>das ganze Modell</translation>
    </message>
    <message>
        <source>gradients of the gates</source>
        <translation>Gradienten der Gates</translation>
    </message>
    <message>
        <source>gradients of the KL</source>
        <translation>Gradienten der KL</translation>
    </message>
    <message>
        <source>queries, keys and values</source>
        <translation>Queries, Keys und Values</translation>
    </message>
    <message>
        <source>statistics of all heads</source>
        <translation>Statistik aller Köpfe</translation>
    </message>
    <message>
        <source>%1: %2 removed</source>
        <translation>%1: %2 entfernt</translation>
    </message>
    <message>
        <source>comparing the smaller model with the masked one</source>
        <translation>das kleinere Modell wird mit dem maskierten verglichen</translation>
    </message>
    <message>
        <source>embedding and unembedding</source>
        <translation>Embedding und Unembedding</translation>
    </message>
    <message>
        <source>eigenvalues of layer %1</source>
        <translation>Eigenwerte von Schicht %1</translation>
    </message>
    <message>
        <source>copying accuracy</source>
        <translation>Genauigkeit des Kopierens</translation>
    </message>
    <message>
        <source>composition of layer %1</source>
        <translation>Komposition von Schicht %1</translation>
    </message>
    <message>
        <source>positions in layer %1</source>
        <translation>Positionen in Schicht %1</translation>
    </message>
    <message>
        <source>%1 of %2 ablations</source>
        <translation>%1 von %2 Ablationen</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1 von %2 Schritten</translation>
    </message>
    <message>
        <source>%1 of %2 patches</source>
        <translation>%1 von %2 Patches</translation>
    </message>
    <message>
        <source>%1 of %2 circuits</source>
        <translation>%1 von %2 Circuits</translation>
    </message>
    <message>
        <source>%1 of %2 edges</source>
        <translation>%1 von %2 Kanten</translation>
    </message>
    <message>
        <source>%1 of %2 changed layers</source>
        <translation>%1 von %2 geänderten Schichten</translation>
    </message>
    <message>
        <source>%1 of %2 runs</source>
        <translation>%1 von %2 Läufen</translation>
    </message>
    <message>
        <source>%1 of %2 paths</source>
        <translation>%1 von %2 Pfaden</translation>
    </message>
    <message>
        <source>%1 random sequence of %2, repeated, seed %3</source>
        <translation>%1 Zufallsfolge von %2, wiederholt, Seed %3</translation>
    </message>
    <message>
        <source>%1 random sequences of %2, repeated, seed %3</source>
        <translation>%1 Zufallsfolgen von %2, wiederholt, Seed %3</translation>
    </message>
    <message>
        <source>%1 bundled sentences</source>
        <translation>%1 mitgelieferten Sätzen</translation>
    </message>
    <message>
        <source>%1 indirect-object prompts, seed %2</source>
        <translation>%1 Prompts mit indirektem Objekt, Seed %2</translation>
    </message>
    <message>
        <source>the weights</source>
        <translation>den Gewichten</translation>
    </message>
    <message>
        <source>this prompt of %1</source>
        <translation>diesem Prompt von %1</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>with BOS (id %1)</source>
        <translation>mit BOS (Id %1)</translation>
    </message>
    <message>
        <source>without BOS</source>
        <translation>ohne BOS</translation>
    </message>
    <message>
        <source>%1 random sequence of %2, none twice, seed %3</source>
        <translation>%1 Zufallsfolge von %2, keines doppelt, Seed %3</translation>
    </message>
    <message>
        <source>%1 random sequences of %2, none twice, seed %3</source>
        <translation>%1 Zufallsfolgen von %2, keines doppelt, Seed %3</translation>
    </message>
    <message>
        <source>%1 of %2 labels</source>
        <translation>%1 von %2 Labels</translation>
    </message>
    <message>
        <source>pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>specific</source>
        <translation>spezifisch</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>schreibt</translation>
    </message>
    <message>
        <source>needed</source>
        <translation>gebraucht</translation>
    </message>
    <message>
        <source>transfers</source>
        <translation>übertragbar</translation>
    </message>
    <message>
        <source>stable</source>
        <translation>stabil</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>bestanden</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>nicht bestanden</translation>
    </message>
    <message>
        <source>undecided</source>
        <translation>unentschieden</translation>
    </message>
    <message>
        <source>untested</source>
        <translation>ungeprüft</translation>
    </message>
    <message>
        <source>not asked</source>
        <translation>nicht gefragt</translation>
    </message>
    <message>
        <source>cause</source>
        <translation>Ursache</translation>
    </message>
    <message>
        <source>secondary</source>
        <translation>nebensächlich</translation>
    </message>
    <message>
        <source>correlate: pattern only</source>
        <translation>Korrelat: nur das Muster</translation>
    </message>
    <message>
        <source>interferer</source>
        <translation>Störer</translation>
    </message>
    <message>
        <source>description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Whether the head attends, or its weights act, as the type says.</source>
        <translation>Ob der Kopf so aufmerkt oder seine Gewichte so wirken, wie der Typ sagt.</translation>
    </message>
    <message>
        <source>Whether the head adds anything to the residual stream.</source>
        <translation>Ob der Kopf dem Residual-Strom etwas hinzufügt.</translation>
    </message>
    <message>
        <source>Whether the model does worse without the head, on what the type is read from.</source>
        <translation>Ob das Modell ohne den Kopf schlechter ist, dort, wo der Typ abgelesen wird.</translation>
    </message>
    <message>
        <source>Whether the label holds on other input of this kind.</source>
        <translation>Ob das Label auf anderer Eingabe dieser Art gilt.</translation>
    </message>
    <message>
        <source>Whether the label holds whichever sequences are drawn: in nine of ten resamples.</source>
        <translation>Ob das Label gilt, gleich welche Sequenzen gezogen werden: in neun von zehn Stichproben.</translation>
    </message>
    <message>
        <source>The model needs the head where it has this pattern.</source>
        <translation>Das Modell braucht den Kopf dort, wo er dieses Muster hat.</translation>
    </message>
    <message>
        <source>The model is worse without the head, but not clearly more than without others near it, or only where the other heads with this label are ablated, too.</source>
        <translation>Das Modell ist ohne den Kopf schlechter, aber nicht deutlich mehr als ohne andere in der Nähe, oder nur, wenn auch die anderen Köpfe mit diesem Label ablatiert sind.</translation>
    </message>
    <message>
        <source>Only the pattern is there: the model does not need the head for what the label says.</source>
        <translation>Nur das Muster ist da: Für das, was das Label sagt, braucht das Modell den Kopf nicht.</translation>
    </message>
    <message>
        <source>The model does better without the head.</source>
        <translation>Das Modell ist ohne den Kopf besser.</translation>
    </message>
    <message>
        <source>The head was tested, and the figures leave it open.</source>
        <translation>Der Kopf wurde geprüft, und die Zahlen lassen es offen.</translation>
    </message>
    <message>
        <source>Only the pattern was measured: the head was not ablated.</source>
        <translation>Nur das Muster wurde gemessen: Der Kopf wurde nicht ablatiert.</translation>
    </message>
    <message>
        <source>The label says how attention is spread, that the head rests or writes little, or what its weights could do, and claims no cause.</source>
        <translation>Das Label sagt, wie sich die Aufmerksamkeit verteilt, dass der Kopf ruht oder wenig schreibt oder was seine Gewichte könnten, und behauptet keine Ursache.</translation>
    </message>
    <message>
        <source>Its score is %1; the type counts from %2 on, and a head that attends evenly has %3.</source>
        <translation>Sein Score ist %1; der Typ zählt ab %2, und ein Kopf mit gleichmäßiger Aufmerksamkeit hat %3.</translation>
    </message>
    <message>
        <source>Its score is %1; the type counts from %2 on.</source>
        <translation>Sein Score ist %1; der Typ zählt ab %2.</translation>
    </message>
    <message>
        <source>This type has no control.</source>
        <translation>Dieser Typ hat keine Kontrolle.</translation>
    </message>
    <message>
        <source>No control was measured.</source>
        <translation>Es wurde keine Kontrolle gemessen.</translation>
    </message>
    <message>
        <source>Its score is %1, and %2; the difference is at least %3 (95 %).</source>
        <translation>Sein Score ist %1, und %2; die Differenz ist mindestens %3 (95 %).</translation>
    </message>
    <message>
        <source>%1 with the second copy in random order</source>
        <translation>%1, wenn die zweite Kopie in zufälliger Reihenfolge steht</translation>
    </message>
    <message>
        <source>%1 with the tokens in random order</source>
        <translation>%1, wenn die Tokens in zufälliger Reihenfolge stehen</translation>
    </message>
    <message>
        <source>%1 in random order</source>
        <translation>%1 in zufälliger Reihenfolge</translation>
    </message>
    <message>
        <source>%1 two tokens back</source>
        <translation>%1 zwei Tokens zurück</translation>
    </message>
    <message>
        <source>%1 on the token before</source>
        <translation>%1 auf dem Token davor</translation>
    </message>
    <message>
        <source>%1 on the second position</source>
        <translation>%1 auf der zweiten Position</translation>
    </message>
    <message>
        <source>%1 two tokens ahead</source>
        <translation>%1 zwei Tokens voraus</translation>
    </message>
    <message>
        <source>%1 on the other name</source>
        <translation>%1 auf dem anderen Namen</translation>
    </message>
    <message>
        <source>%1 on the first mention</source>
        <translation>%1 auf der ersten Nennung</translation>
    </message>
    <message>
        <source>%1 with three different names</source>
        <translation>%1 mit drei verschiedenen Namen</translation>
    </message>
    <message>
        <source>It writes nothing, wherever it looks.</source>
        <translation>Er schreibt nichts, wohin er auch sieht.</translation>
    </message>
    <message>
        <source>What it writes was not measured.</source>
        <translation>Was er schreibt, wurde nicht gemessen.</translation>
    </message>
    <message>
        <source>It writes at least as much as the mean of its layer&apos;s heads.</source>
        <translation>Er schreibt mindestens so viel wie das Mittel der Köpfe seiner Schicht.</translation>
    </message>
    <message>
        <source>It writes %1 % of the mean of its layer&apos;s heads.</source>
        <translation>Er schreibt %1 % des Mittels der Köpfe seiner Schicht.</translation>
    </message>
    <message>
        <source>The head was not ablated.</source>
        <translation>Der Kopf wurde nicht ablatiert.</translation>
    </message>
    <message>
        <source>It is read from weights, and not from input.</source>
        <translation>Es wird aus Gewichten gelesen, nicht aus Eingabe.</translation>
    </message>
    <message>
        <source>It was not read on other input.</source>
        <translation>Es wurde nicht auf anderer Eingabe gelesen.</translation>
    </message>
    <message>
        <source>It holds on %1 of %2 sets of other input, and has its least score, %3, on %4.</source>
        <translation>Es gilt auf %1 von %2 Sätzen anderer Eingabe und hat seinen kleinsten Score, %3, auf: %4.</translation>
    </message>
    <message>
        <source>It is read from weights, which are the same each time.</source>
        <translation>Es wird aus Gewichten gelesen, die jedes Mal dieselben sind.</translation>
    </message>
    <message>
        <source>It was not read on resamples.</source>
        <translation>Es wurde nicht auf Stichproben gelesen.</translation>
    </message>
    <message>
        <source>It holds in %1 % of %2 resamples.</source>
        <translation>Es gilt in %1 % von %2 Stichproben.</translation>
    </message>
    <message>
        <source>tokens of the lower half of the vocabulary</source>
        <translation>Tokens der unteren Hälfte des Vokabulars</translation>
    </message>
    <message>
        <source>tokens of the upper half of the vocabulary</source>
        <translation>Tokens der oberen Hälfte des Vokabulars</translation>
    </message>
    <message>
        <source>tokens of a bundled text</source>
        <translation>Tokens eines mitgelieferten Texts</translation>
    </message>
    <message>
        <source>repeats of %1</source>
        <translation>Wiederholungen von %1</translation>
    </message>
    <message>
        <source>sequences of %1</source>
        <translation>Sequenzen von %1</translation>
    </message>
    <message>
        <source>bundled sentences %1 to %2</source>
        <translation>mitgelieferte Sätze %1 bis %2</translation>
    </message>
    <message>
        <source>prompts of templates %1 and %2</source>
        <translation>Prompts der Vorlagen %1 und %2</translation>
    </message>
    <message>
        <source>prompts of template %1</source>
        <translation>Prompts der Vorlage %1</translation>
    </message>
    <message>
        <source>of the model’s %1 labels, about %2 are expected to be chance (Benjamini–Hochberg, %3 tests)</source>
        <translation>von den %1 Labels des Modells sind etwa %2 durch Zufall zu erwarten (Benjamini–Hochberg, %3 Tests)</translation>
    </message>
    <message>
        <source>of the model’s %1 labels, fewer than %2 are expected to be chance (Benjamini–Hochberg, %3 tests)</source>
        <translation>von den %1 Labels des Modells sind weniger als %2 durch Zufall zu erwarten (Benjamini–Hochberg, %3 Tests)</translation>
    </message>
    <message>
        <source>%1 on the most common token</source>
        <translation>%1 auf dem häufigsten Token</translation>
    </message>
    <message>
        <source>Whether its score is larger than on input without what the type looks for.</source>
        <translation>Ob sein Score größer ist als bei einer Eingabe ohne das, wonach der Typ sucht.</translation>
    </message>
    <message>
        <source>It holds on %1 of %2 sets of other input, and shows nothing to judge on %3.</source>
        <translation>Es gilt auf %1 von %2 Sätzen anderer Eingabe und zeigt auf %3 nichts, was sich beurteilen lässt.</translation>
    </message>
    <message>
        <source>It holds on %1 of 1 set of other input, and has its least score, %2, on %3.</source>
        <translation>Es gilt auf %1 von 1 Satz anderer Eingabe; der kleinste Score, %2, ist auf %3.</translation>
    </message>
    <message>
        <source>It holds on %1 of 1 set of other input, and shows nothing to judge on %2.</source>
        <translation>Es gilt auf %1 von 1 Satz anderer Eingabe und zeigt auf %2 nichts, was sich beurteilen lässt.</translation>
    </message>
    <message>
        <source>Not tested on other input: %1</source>
        <translation>Nicht auf anderer Eingabe geprüft: %1</translation>
    </message>
    <message>
        <source>It holds in %1 % of 1 resample.</source>
        <translation>Es gilt in %1 % von 1 Stichprobe.</translation>
    </message>
    <message>
        <source>%1 from the beginning of a word, on the word before</source>
        <translation>%1 vom Anfang eines Wortes auf das Wort davor</translation>
    </message>
    <message>
        <source>tokens of your text</source>
        <translation>Tokens Ihres Textes</translation>
    </message>
    <message>
        <source>%1 ordinals</source>
        <translation>%1 Wörter aus Reihen</translation>
    </message>
    <message>
        <source>%1 sentences that come again, seed %2</source>
        <translation>%1 wiederkehrende Sätze, Seed %2</translation>
    </message>
    <message>
        <source>%1 with that sentence in random order where it comes first</source>
        <translation>%1 mit diesem Satz an der ersten Stelle in zufälliger Reihenfolge</translation>
    </message>
    <message>
        <source>%1 on the word itself, the one before or two after</source>
        <translation>%1 auf dem Wort selbst, dem davor oder dem übernächsten</translation>
    </message>
    <message>
        <source>sentences that come again, %1 to %2</source>
        <translation>wiederkehrende Sätze %1 bis %2</translation>
    </message>
    <message>
        <source>ordinals %1 to %2</source>
        <translation>Wörter aus Reihen %1 bis %2</translation>
    </message>
    <message>
        <source>sentences that come earlier in a text</source>
        <translation>Sätze, die weiter vorn im Text stehen</translation>
    </message>
</context>
<context>
    <name>CurveText</name>
    <message>
        <source>1 random order</source>
        <translation>1 zufällige Reihenfolge</translation>
    </message>
    <message>
        <source>%1 random orders</source>
        <translation>%1 zufällige Reihenfolgen</translation>
    </message>
    <message>
        <source>whole model</source>
        <translation>ganzes Modell</translation>
    </message>
    <message>
        <source>%1 more loss</source>
        <translation>%1 mehr Loss</translation>
    </message>
    <message>
        <source>heads removed, of %1</source>
        <translation>entfernte Köpfe, von %1</translation>
    </message>
</context>
<context>
    <name>DialogText</name>
    <message>
        <source>Open a model</source>
        <translation>Modell öffnen</translation>
    </message>
    <message>
        <source>Models and projects (*.h5 *.hdf5 *.safetensors *.gguf *.keras *.json *.headscope);;All files (*)</source>
        <translation>Modelle und Projekte (*.h5 *.hdf5 *.safetensors *.gguf *.keras *.json *.headscope);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open the folder of a model</source>
        <translation>Ordner eines Modells öffnen</translation>
    </message>
    <message>
        <source>Open a folder with examples of heads</source>
        <translation>Ordner mit Beispielen von Köpfen öffnen</translation>
    </message>
    <message>
        <source>Outputs to compare with</source>
        <translation>Ausgaben zum Vergleichen</translation>
    </message>
    <message>
        <source>Stored outputs (*.h5 *.hdf5 *.safetensors);;All files (*)</source>
        <translation>Gespeicherte Ausgaben (*.h5 *.hdf5 *.safetensors);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a text</source>
        <translation>Text öffnen</translation>
    </message>
    <message>
        <source>Texts (*.txt *.md);;All files (*)</source>
        <translation>Texte (*.txt *.md);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>Exportieren nach</translation>
    </message>
    <message>
        <source>Save the project?</source>
        <translation>Projekt speichern?</translation>
    </message>
    <message>
        <source>%1 was changed since it was saved.</source>
        <translation>%1 wurde seit dem Speichern geändert.</translation>
    </message>
    <message>
        <source>Replace the project?</source>
        <translation>Projekt ersetzen?</translation>
    </message>
    <message>
        <source>%1 was changed by another window or program since it was opened here. What was written there would be lost.</source>
        <translation>%1 wurde von einem anderen Fenster oder Programm geändert, seit es hier geöffnet wurde. Was dort geschrieben wurde, ginge verloren.</translation>
    </message>
    <message>
        <source>Save &amp;As …</source>
        <translation>Speichern &amp;unter …</translation>
    </message>
    <message>
        <source>&amp;Replace It</source>
        <translation>E&amp;rsetzen</translation>
    </message>
</context>
<context>
    <name>EffectText</name>
    <message>
        <source>Needed</source>
        <translation>Gebraucht</translation>
    </message>
    <message>
        <source>Secondary</source>
        <translation>Nebensächlich</translation>
    </message>
    <message>
        <source>Interferes</source>
        <translation>Stört</translation>
    </message>
    <message>
        <source>No effect found</source>
        <translation>Keine Wirkung gefunden</translation>
    </message>
    <message>
        <source>Undecided</source>
        <translation>Unentschieden</translation>
    </message>
    <message>
        <source>no type</source>
        <translation>kein Typ</translation>
    </message>
</context>
<context>
    <name>ExportCallText</name>
    <message>
        <source>With ablated heads a command writes whole layers: choose the numbers of the layer.</source>
        <translation>Mit ablatierten Köpfen schreibt ein Befehl ganze Schichten: Wählen Sie die Zahlen der Schicht.</translation>
    </message>
    <message>
        <source>A command writes numbers, not pictures; choose numbers.</source>
        <translation>Ein Befehl schreibt Zahlen, keine Bilder; wählen Sie Zahlen.</translation>
    </message>
    <message>
        <source>A command writes the attention of one run, neither differences nor weighted patterns.</source>
        <translation>Ein Befehl schreibt die Aufmerksamkeit eines Laufs, weder Differenzen noch gewichtete Muster.</translation>
    </message>
</context>
<context>
    <name>ExportPlaceText</name>
    <message>
        <source>Table (*.csv);;JSON (*.json);;HDF5 (*.h5)</source>
        <translation>Tabelle (*.csv);;JSON (*.json);;HDF5 (*.h5)</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
</context>
<context>
    <name>ExportText</name>
    <message>
        <source>The text</source>
        <translation>Der Text</translation>
    </message>
    <message>
        <source>The picture of lines</source>
        <translation>Das Linienbild</translation>
    </message>
    <message>
        <source>The graph of where it came from</source>
        <translation>Der Herkunftsgraph</translation>
    </message>
    <message>
        <source>The heatmap</source>
        <translation>Die Heatmap</translation>
    </message>
    <message>
        <source>differences of %1, B − A at the tokens of A,</source>
        <translation>Differenzen (%1), B − A an den Tokens von A,</translation>
    </message>
    <message>
        <source>attention weights</source>
        <translation>Aufmerksamkeitsgewichte</translation>
    </message>
    <message>
        <source>value-weighted weights, A[q, k]·‖v_k W_O‖ with rows of sum 1,</source>
        <translation>value-gewichtete Gewichte, A[q, k]·‖v_k W_O‖ mit Zeilensumme 1,</translation>
    </message>
    <message>
        <source>differences of attention from the whole model</source>
        <translation>Differenzen der Aufmerksamkeit zum ganzen Modell</translation>
    </message>
    <message>
        <source>%1 as it is shown, in light colours. Text stays text in SVG and PDF.</source>
        <translation>%1, wie zu sehen, in hellen Farben. In SVG und PDF bleibt Text Text.</translation>
    </message>
    <message>
        <source>%1 × %1 %2 of %3.</source>
        <translation>%1 × %1 %2 von %3.</translation>
    </message>
    <message>
        <source>%1 × %2 × %2 %3 of layer %4.</source>
        <translation>%1 × %2 × %2 %3 von Schicht %4.</translation>
    </message>
    <message>
        <source>%1 layers of %2 × %3 × %3 %4.</source>
        <translation>%1 Schichten mit je %2 × %3 × %3 %4.</translation>
    </message>
    <message>
        <source>%1 layers with %2 heads in all, of each %3 × %3 %4.</source>
        <translation>%1 Schichten mit insgesamt %2 Köpfen, von jedem %3 × %3 %4.</translation>
    </message>
    <message>
        <source>One row for each pair of what the query and what the key read.</source>
        <translation>Eine Zeile für jedes Paar aus dem, was die Query, und dem, was der Key liest.</translation>
    </message>
    <message>
        <source>One edge for each line of the graph, with its share. GraphML is for Gephi, yEd or networkx.</source>
        <translation>Eine Kante für jede Linie des Graphen, mit ihrem Anteil. GraphML ist für Gephi, yEd oder networkx.</translation>
    </message>
    <message>
        <source>One row per head and type. %1</source>
        <translation>Eine Zeile je Kopf und Typ. %1</translation>
    </message>
    <message>
        <source>The types are not measured yet.</source>
        <translation>Die Typen sind noch nicht gemessen.</translation>
    </message>
    <message>
        <source>The types are not measured yet, so there are no scores to write.</source>
        <translation>Die Typen sind noch nicht gemessen, es gibt also keine Scores zu schreiben.</translation>
    </message>
    <message>
        <source>%1 does not end in .npz, .npy, .h5, .csv or .json; choose one of these.</source>
        <translation>%1 endet nicht auf .npz, .npy, .h5, .csv oder .json; wählen Sie eine dieser Endungen.</translation>
    </message>
    <message>
        <source>The picture of the head&apos;s steps</source>
        <translation>Das Bild der Schritte im Kopf</translation>
    </message>
    <message>
        <source>One row for each key that the query sees, with its vectors, its score and its weight.</source>
        <translation>Eine Zeile für jeden Key, den die Query sieht, mit seinen Vektoren, seinem Score und seinem Gewicht.</translation>
    </message>
</context>
<context>
    <name>FigureFile</name>
    <message>
        <source>&apos;%1&apos;: figures are written as .svg, .pdf or .png, found &apos;.%2&apos;; choose one of these endings.</source>
        <translation>„%1“: Abbildungen werden als .svg, .pdf oder .png geschrieben, gefunden wurde „.%2“; wählen Sie eine dieser Endungen.</translation>
    </message>
</context>
<context>
    <name>FigureText</name>
    <message>
        <source>A picture shows one head, such as --head 4.1, and “%1” names %2.</source>
        <translation>Ein Bild zeigt einen Kopf, etwa --head 4.1, und „%1“ nennt %2.</translation>
    </message>
</context>
<context>
    <name>FileText</name>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 gespeichert.</translation>
    </message>
    <message>
        <source>Saved %1. %2</source>
        <translation>%1 gespeichert. %2</translation>
    </message>
    <message>
        <source>&amp;Open It</source>
        <translation>&amp;Öffnen</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>Show in &amp;Folder</source>
        <translation>Im &amp;Ordner zeigen</translation>
    </message>
    <message>
        <source>Exported %1</source>
        <translation>%1 exportiert</translation>
    </message>
    <message>
        <source>Report (*.html)</source>
        <translation>Bericht (*.html)</translation>
    </message>
    <message>
        <source>Shell script (*.sh);;Python script (*.py)</source>
        <translation>Shell-Skript (*.sh);;Python-Skript (*.py)</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>%1 (missing)</source>
        <translation>%1 (fehlt)</translation>
    </message>
    <message>
        <source>&amp;Forget These Files</source>
        <translation>Diese Dateien &amp;vergessen</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>Beispiel</translation>
    </message>
    <message>
        <source>&amp;Open Model or Project …</source>
        <translation>Modell oder Projekt &amp;öffnen …</translation>
    </message>
    <message>
        <source>load file weights</source>
        <translation>laden Datei Gewichte</translation>
    </message>
    <message>
        <source>Open Model &amp;Folder …</source>
        <translation>Modell&amp;ordner öffnen …</translation>
    </message>
    <message>
        <source>load directory Hugging Face</source>
        <translation>laden Verzeichnis Hugging Face</translation>
    </message>
    <message>
        <source>Open &amp;Recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Sample &amp;Models</source>
        <translation>Beispiel&amp;modelle</translation>
    </message>
    <message>
        <source>Save &amp;Project</source>
        <translation>&amp;Projekt speichern</translation>
    </message>
    <message>
        <source>headscope session notes keep</source>
        <translation>headscope Sitzung Notizen sichern</translation>
    </message>
    <message>
        <source>Save Project &amp;As …</source>
        <translation>Projekt speichern &amp;unter …</translation>
    </message>
    <message>
        <source>headscope session notes copy</source>
        <translation>headscope Sitzung Notizen Kopie</translation>
    </message>
    <message>
        <source>&amp;Save Model as HDF5 …</source>
        <translation>Modell als &amp;HDF5 speichern …</translation>
    </message>
    <message>
        <source>convert write h5</source>
        <translation>umwandeln konvertieren schreiben h5</translation>
    </message>
    <message>
        <source>&amp;Export …</source>
        <translation>&amp;Exportieren …</translation>
    </message>
    <message>
        <source>Repor&amp;t …</source>
        <translation>Be&amp;richt …</translation>
    </message>
    <message>
        <source>html page print mail share summary</source>
        <translation>html Seite drucken Mail teilen Zusammenfassung Report</translation>
    </message>
    <message>
        <source>Save &amp;History as Script …</source>
        <translation>&amp;Verlauf als Skript speichern …</translation>
    </message>
    <message>
        <source>log record what was done repeat shell python sh py</source>
        <translation>Protokoll aufzeichnen was getan wurde wiederholen Shell Python sh py</translation>
    </message>
    <message>
        <source>Writes what was done in this window as a script of headscope-cli (.sh) or of Python (.py)</source>
        <translation>Schreibt alles, was in diesem Fenster getan wurde, als Skript für headscope-cli (.sh) oder Python (.py)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>close exit</source>
        <translation>schließen verlassen</translation>
    </message>
    <message>
        <source>There is no pattern to write yet; run a prompt first.</source>
        <translation>Noch gibt es kein Muster zu schreiben; lassen Sie erst einen Prompt laufen.</translation>
    </message>
    <message>
        <source>There is nothing to export on this page yet.</source>
        <translation>Auf dieser Seite gibt es noch nichts zu exportieren.</translation>
    </message>
    <message>
        <source>figure picture numbers table csv json npz svg pdf png</source>
        <translation>Abbildung Bild Zahlen Tabelle csv json npz svg pdf png</translation>
    </message>
</context>
<context>
    <name>HeadCommandText</name>
    <message>
        <source>heads of type %1</source>
        <translation>Köpfe vom Typ %1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>Undo, and what</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>The picture is on the clipboard.</source>
        <translation>Das Bild ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>Copy as Co&amp;mmand</source>
        <translation>Als &amp;Befehl kopieren</translation>
    </message>
    <message>
        <source>clipboard headscope-cli shell line repeat reproduce</source>
        <translation>Zwischenablage headscope-cli Shell Zeile wiederholen reproduzieren</translation>
    </message>
    <message>
        <source>Puts the line of headscope-cli on the clipboard that gives the numbers of this page again</source>
        <translation>Legt die Zeile für headscope-cli in die Zwischenablage, die die Zahlen dieser Seite wieder ergibt</translation>
    </message>
    <message>
        <source>Copy as P&amp;ython</source>
        <translation>Als P&amp;ython kopieren</translation>
    </message>
    <message>
        <source>clipboard notebook module repeat reproduce</source>
        <translation>Zwischenablage Notebook Modul wiederholen reproduzieren</translation>
    </message>
    <message>
        <source>Puts lines of Python on the clipboard that give the numbers of this page again</source>
        <translation>Legt Zeilen in Python in die Zwischenablage, die die Zahlen dieser Seite wieder ergeben</translation>
    </message>
    <message>
        <source>&amp;Ablate %1 Heads</source>
        <translation>%1 Köpfe &amp;ablatieren</translation>
    </message>
    <message>
        <source>&amp;Ablate Head</source>
        <translation>Kopf &amp;ablatieren</translation>
    </message>
    <message>
        <source>select move</source>
        <translation>wählen bewegen</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>ablate ablation restore type</source>
        <translation>ablatieren Ablation wiederherstellen Typ</translation>
    </message>
    <message>
        <source>earlier prompt history</source>
        <translation>frühere Prompts Verlauf</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>bookmark note</source>
        <translation>Lesezeichen Notiz</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Copy Picture</source>
        <translation>Bild &amp;kopieren</translation>
    </message>
    <message>
        <source>clipboard figure heatmap text lines</source>
        <translation>Zwischenablage Abbildung Heatmap Text Linien</translation>
    </message>
    <message>
        <source>Edit &amp;Prompt</source>
        <translation>&amp;Prompt bearbeiten</translation>
    </message>
    <message>
        <source>write type text</source>
        <translation>schreiben tippen Text</translation>
    </message>
    <message>
        <source>&amp;Earlier Prompts</source>
        <translation>&amp;Frühere Prompts</translation>
    </message>
    <message>
        <source>Let the Model &amp;Write On</source>
        <translation>&amp;Modell weiterschreiben lassen</translation>
    </message>
    <message>
        <source>generate sample continue next tokens</source>
        <translation>generieren Sampling fortsetzen nächste Tokens</translation>
    </message>
    <message>
        <source>Take the Last &amp;Token Back</source>
        <translation>Letztes &amp;Token zurücknehmen</translation>
    </message>
    <message>
        <source>remove delete shorten step</source>
        <translation>entfernen löschen kürzen Schritt</translation>
    </message>
    <message>
        <source>&amp;Next Head</source>
        <translation>&amp;Nächster Kopf</translation>
    </message>
    <message>
        <source>ablation restore switch off on knock out remove prune without</source>
        <translation>Ablation wiederherstellen ausschalten einschalten Knockout entfernen prunen ohne</translation>
    </message>
    <message>
        <source>Ablate KV &amp;Group</source>
        <translation>KV-&amp;Gruppe ablatieren</translation>
    </message>
    <message>
        <source>ablation restore switch off on GQA MQA</source>
        <translation>Ablation wiederherstellen ausschalten einschalten GQA MQA</translation>
    </message>
    <message>
        <source>Ablate &amp;Whole Layer</source>
        <translation>Ganze &amp;Schicht ablatieren</translation>
    </message>
    <message>
        <source>ablation restore switch off on all heads</source>
        <translation>Ablation wiederherstellen ausschalten einschalten alle Köpfe</translation>
    </message>
    <message>
        <source>Ablate Heads of a &amp;Type</source>
        <translation>Köpfe eines &amp;Typs ablatieren</translation>
    </message>
    <message>
        <source>&amp;Restore All Heads</source>
        <translation>Alle Köpfe &amp;wiederherstellen</translation>
    </message>
    <message>
        <source>ablate ablation switch on clear mask</source>
        <translation>ablatieren Ablation einschalten leeren Maske</translation>
    </message>
    <message>
        <source>&amp;Bookmark Head</source>
        <translation>Kopf &amp;merken</translation>
    </message>
    <message>
        <source>star mark note favourite</source>
        <translation>Stern Lesezeichen markieren Notiz Favorit</translation>
    </message>
    <message>
        <source>Bookmarked &amp;Heads</source>
        <translation>Gemerkte &amp;Köpfe</translation>
    </message>
    <message>
        <source>&amp;Previous Head</source>
        <translation>&amp;Voriger Kopf</translation>
    </message>
    <message>
        <source>Next &amp;Layer</source>
        <translation>Nächste Schi&amp;cht</translation>
    </message>
    <message>
        <source>Previous La&amp;yer</source>
        <translation>Vo&amp;rige Schicht</translation>
    </message>
</context>
<context>
    <name>HeadReportText</name>
    <message>
        <source>The types of the heads have not been measured yet.</source>
        <translation>Die Typen der Köpfe sind noch nicht gemessen.</translation>
    </message>
    <message>
        <source> Only queries %1 to %2 and keys %3 to %4 are in sight.</source>
        <translation> Zu sehen sind nur die Queries %1 bis %2 und die Keys %3 bis %4.</translation>
    </message>
    <message>
        <source>The heatmap was still being read when this was written.</source>
        <translation>Die Heatmap wurde noch gelesen, als dies geschrieben wurde.</translation>
    </message>
    <message>
        <source>Heatmap, %1: %2. Rows are %3 tokens as the %4, columns %5 as the %6.</source>
        <translation>Heatmap, %1: %2. Zeilen sind %3 Tokens als %4, Spalten %5 als %6.</translation>
    </message>
    <message>
        <source>%1. Colour: %2.%3
%4</source>
        <translation>%1. Farbe: %2.%3
%4</translation>
    </message>
    <message>
        <source>Types of %1</source>
        <translation>Typen von %1</translation>
    </message>
    <message>
        <source>%1 has no type.</source>
        <translation>%1 hat keinen Typ.</translation>
    </message>
    <message>
        <source>%1 has no type; the nearest is %2, with a score of %3 where %4 is needed.</source>
        <translation>%1 hat keinen Typ; am nächsten kommt %2, mit einem Score von %3, wo %4 nötig ist.</translation>
    </message>
    <message>
        <source>Heatmap and reading are of B, the prompt “%1”.</source>
        <translation>Heatmap und Lesart sind die von B, dem Prompt „%1“.</translation>
    </message>
    <message>
        <source>The heatmap shows what B, the prompt “%1”, has more than A, the prompt above.</source>
        <translation>Die Heatmap zeigt, was B, der Prompt „%1“, mehr hat als A, der Prompt oben.</translation>
    </message>
    <message>
        <source>Some types were still being measured when this was written.</source>
        <translation>Manche Typen wurden noch gemessen, als dies geschrieben wurde.</translation>
    </message>
    <message>
        <source>No head is selected.</source>
        <translation>Kein Kopf ist gewählt.</translation>
    </message>
    <message>
        <source>%1 is ablated.</source>
        <translation>%1 ist ablatiert.</translation>
    </message>
    <message>
        <source>Heads that have a type, and the scores of these types</source>
        <translation>Köpfe, die einen Typ haben, und die Scores dieser Typen</translation>
    </message>
    <message>
        <source>One text gives scores of %1, and no type.</source>
        <translation>Ein einziger Text ergibt Scores von %1, aber keinen Typ.</translation>
    </message>
</context>
<context>
    <name>HeadText</name>
    <message>
        <source>%1 heads</source>
        <translation>%1 Köpfe</translation>
    </message>
    <message>
        <source>&lt; 0.1 %</source>
        <translation>&lt; 0.1 %</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>Which positions it looks for</source>
        <translation>Welche Positionen er sucht</translation>
    </message>
    <message>
        <source>Which words it looks for</source>
        <translation>Welche Wörter er sucht</translation>
    </message>
    <message>
        <source>What it does with names</source>
        <translation>Was er mit Namen tut</translation>
    </message>
    <message>
        <source>What its weights do</source>
        <translation>Was seine Gewichte tun</translation>
    </message>
    <message>
        <source>How it spreads</source>
        <translation>Wie er sich verteilt</translation>
    </message>
    <message>
        <source>the bundled sentences</source>
        <translation>die mitgelieferten Sätze</translation>
    </message>
    <message>
        <source>prompts of the indirect-object task</source>
        <translation>Prompts der Aufgabe mit indirekten Objekten</translation>
    </message>
    <message>
        <source>the weights alone</source>
        <translation>die Gewichte allein</translation>
    </message>
    <message>
        <source>repeated random tokens</source>
        <translation>wiederholte Zufallstokens</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>Null</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittelwert</translation>
    </message>
    <message>
        <source>not defined for its weights</source>
        <translation>für seine Gewichte nicht definiert</translation>
    </message>
    <message>
        <source>gives such tokens too little to be judged</source>
        <translation>gibt solchen Tokens zu wenig für ein Urteil</translation>
    </message>
    <message>
        <source>needs sentences whose words are known</source>
        <translation>braucht Sätze mit bekannten Wörtern</translation>
    </message>
    <message>
        <source>nothing in this input to read it from</source>
        <translation>nichts in dieser Eingabe, woran es abzulesen wäre</translation>
    </message>
    <message>
        <source>not defined here</source>
        <translation>hier nicht definiert</translation>
    </message>
    <message>
        <source>baseline %1</source>
        <translation>Baseline %1</translation>
    </message>
    <message>
        <source>on sentences %1</source>
        <translation>auf Sätzen %1</translation>
    </message>
    <message>
        <source>95 % %1–%2</source>
        <translation>95 % %1–%2</translation>
    </message>
    <message>
        <source>%1 %2 (baseline %3)</source>
        <translation>%1 %2 (Baseline %3)</translation>
    </message>
    <message>
        <source>no type</source>
        <translation>kein Typ</translation>
    </message>
    <message>
        <source>%1 is not in the file.</source>
        <translation>%1 ist nicht in der Datei.</translation>
    </message>
    <message>
        <source>%1 was removed from this network.</source>
        <translation>%1 wurde aus diesem Netz entfernt.</translation>
    </message>
    <message>
        <source>ablated: its output is replaced by %1</source>
        <translation>ablatiert: seine Ausgabe ist ersetzt durch %1</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>its mean</source>
        <translation>ihren Mittelwert</translation>
    </message>
    <message>
        <source>Reads keys and values of KV head %1, shared by %2 query heads.</source>
        <translation>Liest Keys und Values des KV-Kopfs %1, den sich %2 Query-Köpfe teilen.</translation>
    </message>
    <message>
        <source>Measured on %1, %2.</source>
        <translation>Gemessen auf %1, %2.</translation>
    </message>
    <message>
        <source>On %1, %2: %3.</source>
        <translation>Auf %1, %2: %3.</translation>
    </message>
    <message>
        <source>random tokens, none of them twice</source>
        <translation>Zufallstokens, keines davon doppelt</translation>
    </message>
    <message>
        <source>one text gives scores, and no type</source>
        <translation>ein einziger Text ergibt Scores, aber keinen Typ</translation>
    </message>
    <message>
        <source>Control: %1.</source>
        <translation>Kontrolle: %1.</translation>
    </message>
    <message>
        <source>the same score</source>
        <translation>derselbe Score</translation>
    </message>
    <message>
        <source>days, months, numbers and letters in order</source>
        <translation>Tage, Monate, Zahlen und Buchstaben der Reihe nach</translation>
    </message>
    <message>
        <source>sentences that come again in a text</source>
        <translation>Sätze, die in einem Text wiederkehren</translation>
    </message>
</context>
<context>
    <name>HelpText</name>
    <message>
        <source>About Headscope</source>
        <translation>Über Headscope</translation>
    </message>
    <message>
        <source>&lt;b&gt;Headscope %1&lt;/b&gt;&lt;p&gt;See, name, prune and export the attention heads of a transformer.&lt;/p&gt;&lt;p&gt;Free software under the GNU GPL, version 3 or later.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Headscope %1&lt;/b&gt;&lt;p&gt;Die Aufmerksamkeitsköpfe eines Transformers sehen, benennen, prunen und exportieren.&lt;/p&gt;&lt;p&gt;Freie Software unter der GNU GPL, Version 3 oder neuer.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&amp;Headscope on One Page</source>
        <translation>&amp;Headscope auf einer Seite</translation>
    </message>
    <message>
        <source>Head &amp;Types</source>
        <translation>Kopf&amp;typen</translation>
    </message>
    <message>
        <source>definitions formulas sources labels</source>
        <translation>Definitionen Formeln Quellen Labels</translation>
    </message>
    <message>
        <source>&amp;Lesson: Why a Head Looks There</source>
        <translation>&amp;Lektion: Warum ein Kopf dorthin schaut</translation>
    </message>
    <message>
        <source>tutorial tour induction circuit learn five steps</source>
        <translation>Tutorial Tour Induktion Schaltkreis lernen fünf Schritte</translation>
    </message>
    <message>
        <source>Any &amp;Command …</source>
        <translation>Beliebiger &amp;Befehl …</translation>
    </message>
    <message>
        <source>palette search</source>
        <translation>Palette suchen</translation>
    </message>
    <message>
        <source>&amp;Verify …</source>
        <translation>&amp;Verifizieren …</translation>
    </message>
    <message>
        <source>check numbers reference Hugging Face TransformerLens</source>
        <translation>prüfen Zahlen Referenz Hugging Face TransformerLens</translation>
    </message>
    <message>
        <source>&amp;About Headscope</source>
        <translation>&amp;Über Headscope</translation>
    </message>
    <message>
        <source>version licence</source>
        <translation>Version Lizenz</translation>
    </message>
    <message>
        <source>keys shortcuts manual tour first steps</source>
        <translation>Tasten Tastenkürzel Handbuch Hilfe Rundgang erste Schritte</translation>
    </message>
</context>
<context>
    <name>InsideLayoutText</name>
    <message>
        <source>What the head reads</source>
        <translation>Was der Kopf liest</translation>
    </message>
    <message>
        <source>x, the residual stream at %1, and what the norm of layer %2 makes of it.</source>
        <translation>x, der Residualstrom bei %1, und was die Norm von Schicht %2 daraus macht.</translation>
    </message>
    <message>
        <source>x, the residual stream at %1 as it comes to layer %2.</source>
        <translation>x, der Residualstrom bei %1, wie er zu Schicht %2 kommt.</translation>
    </message>
    <message>
        <source>norm(x)</source>
        <translation>norm(x)</translation>
    </message>
    <message>
        <source>Three products with the head&apos;s own columns of W_Q, W_K and W_V; each position has such a key and value.</source>
        <translation>Drei Produkte mit den eigenen Spalten des Kopfs in W_Q, W_K und W_V; jede Position hat einen solchen Key und Value.</translation>
    </message>
    <message>
        <source>Query and key are then turned by their position.</source>
        <translation>Query und Key werden dann nach ihrer Position gedreht.</translation>
    </message>
    <message>
        <source>Query, keys and values</source>
        <translation>Query, Keys und Values</translation>
    </message>
    <message>
        <source>turned</source>
        <translation>gedreht</translation>
    </message>
    <message>
        <source>This head is ablated: what stands in for its z is shown.</source>
        <translation>Dieser Kopf ist ablatiert: Gezeigt wird, was an die Stelle seines z tritt.</translation>
    </message>
    <message>
        <source>All heads side by side, and W_O</source>
        <translation>Alle Köpfe nebeneinander, und W_O</translation>
    </message>
    <message>
        <source>The z of all heads of the layer, one after the other, times W_O is what attention adds to the stream.</source>
        <translation>Die z aller Köpfe der Schicht hintereinander, mal W_O, sind das, was die Aufmerksamkeit zum Strom addiert.</translation>
    </message>
    <message>
        <source>The head&apos;s z times its own rows of W_O is what it adds to the stream; the heads of a layer add up.</source>
        <translation>Das z des Kopfs mal seine eigenen Zeilen von W_O ist das, was er zum Strom addiert; die Köpfe einer Schicht summieren sich.</translation>
    </message>
    <message>
        <source>this head adds</source>
        <translation>dieser Kopf addiert</translation>
    </message>
    <message>
        <source>attention adds</source>
        <translation>alle addieren</translation>
    </message>
    <message>
        <source>What it says to the prediction</source>
        <translation>Was er zur Vorhersage sagt</translation>
    </message>
    <message>
        <source>What the head adds, read through the last norm and the unembedding: the tokens whose logits it raises and lowers most.</source>
        <translation>Was der Kopf addiert, durch die letzte Norm und das Unembedding gelesen: die Tokens, deren Logits er am meisten hebt und senkt.</translation>
    </message>
</context>
<context>
    <name>InsideReadingText</name>
    <message>
        <source>%1 gives %2 of its attention at %3 to %4.</source>
        <translation>%1 gibt %2 seiner Aufmerksamkeit bei %3 an %4.</translation>
    </message>
</context>
<context>
    <name>InsideTableText</name>
    <message>
        <source>capped</source>
        <translation>begrenzt</translation>
    </message>
    <message>
        <source>+ bias</source>
        <translation>+ Bias</translation>
    </message>
    <message>
        <source>score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>weight × v</source>
        <translation>Gewicht × v</translation>
    </message>
    <message>
        <source>q times k, dimension by dimension, added up</source>
        <translation>q mal k, Dimension für Dimension, summiert</translation>
    </message>
    <message>
        <source>, capped at %1</source>
        <translation>, begrenzt auf %1</translation>
    </message>
    <message>
        <source>, with a bias by distance</source>
        <translation>, mit einem Bias nach Abstand</translation>
    </message>
    <message>
        <source>Softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>exp of (score − largest) / %1, over their sum.</source>
        <translation>exp von (Score − größter) / %1, durch die Summe.</translation>
    </message>
    <message>
        <source>exp of score − largest, over their sum.</source>
        <translation>exp von Score − größter, durch die Summe.</translation>
    </message>
    <message>
        <source>Weighted sum</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>z = Σ weight × v.</source>
        <translation>z = Σ Gewicht × v.</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>Scores</translation>
    </message>
    <message>
        <source>key</source>
        <translation>Key</translation>
    </message>
    <message>
        <source>%1 more keys, with a weight of %2 together: click to see all</source>
        <translation>%1 weitere Keys, mit zusammen dem Gewicht %2: Klicken zeigt alle</translation>
    </message>
    <message>
        <source>Click to see the %1 strongest alone</source>
        <translation>Klicken zeigt nur die %1 stärksten</translation>
    </message>
    <message>
        <source>hidden by the mask: weight 0</source>
        <translation>von der Maske verdeckt: Gewicht 0</translation>
    </message>
    <message>
        <source>%1 more are hidden by the mask</source>
        <translation>%1 weitere verdeckt die Maske</translation>
    </message>
    <message>
        <source>learned sink</source>
        <translation>gelernte Senke</translation>
    </message>
</context>
<context>
    <name>InsideText</name>
    <message>
        <source>norm(x)</source>
        <translation>norm(x)</translation>
    </message>
    <message>
        <source>what the residual stream holds</source>
        <translation>was der Residualstrom enthält</translation>
    </message>
    <message>
        <source>what the norm makes of the stream</source>
        <translation>was die Norm aus dem Strom macht</translation>
    </message>
    <message>
        <source>the query</source>
        <translation>die Query</translation>
    </message>
    <message>
        <source>the key</source>
        <translation>der Key</translation>
    </message>
    <message>
        <source>the value</source>
        <translation>der Value</translation>
    </message>
    <message>
        <source>the query, turned</source>
        <translation>die Query, gedreht</translation>
    </message>
    <message>
        <source>the key, turned</source>
        <translation>der Key, gedreht</translation>
    </message>
    <message>
        <source>query times key</source>
        <translation>Query mal Key</translation>
    </message>
    <message>
        <source>the head&apos;s output z</source>
        <translation>die Ausgabe z des Kopfs</translation>
    </message>
    <message>
        <source>what the head adds to the stream</source>
        <translation>was der Kopf zum Strom addiert</translation>
    </message>
    <message>
        <source>what attention adds to the stream</source>
        <translation>was die Aufmerksamkeit zum Strom addiert</translation>
    </message>
    <message>
        <source>%1: the largest is %2 = %3</source>
        <translation>%1: das größte ist %2 = %3</translation>
    </message>
    <message>
        <source>bias %1</source>
        <translation>Bias %1</translation>
    </message>
    <message>
        <source>Before it is normalised, limited or scaled: %1</source>
        <translation>Bevor sie normiert, begrenzt oder skaliert wird: %1</translation>
    </message>
    <message>
        <source>Before rotary positions %1 = %2.</source>
        <translation>Vor den Rotary-Positionen %1 = %2.</translation>
    </message>
    <message>
        <source>Weight times value, %1 = %2, is its part of %3 = %4.</source>
        <translation>Gewicht mal Value, %1 = %2, ist sein Teil von %3 = %4.</translation>
    </message>
    <message>
        <source>Weights times values: %1 = %2 = %3.</source>
        <translation>Gewichte mal Values: %1 = %2 = %3.</translation>
    </message>
    <message>
        <source>%1: q · k = %2 = %3, over %4 dimensions.</source>
        <translation>%1: q · k = %2 = %3, über %4 Dimensionen.</translation>
    </message>
    <message>
        <source>q · k times the scale: %1 = %2%3.</source>
        <translation>q · k mal die Skala: %1 = %2%3.</translation>
    </message>
    <message>
        <source>The soft-cap: %1 × tanh(%2 / %1) = %3.</source>
        <translation>Die weiche Grenze: %1 × tanh(%2 / %1) = %3.</translation>
    </message>
    <message>
        <source>The bias by distance adds %1.</source>
        <translation>Der Bias nach Abstand addiert %1.</translation>
    </message>
    <message>
        <source>The score: %1 + %2 = %3.</source>
        <translation>Der Score: %1 + %2 = %3.</translation>
    </message>
    <message>
        <source>Of the score less the largest one: %1.</source>
        <translation>Vom Score, vermindert um den größten: %1.</translation>
    </message>
    <message>
        <source>The weight is its share of the sum: %1.</source>
        <translation>Das Gewicht ist sein Anteil an der Summe: %1.</translation>
    </message>
    <message>
        <source>The head raises the logit of %1 by %2, directly and compared with the mean of all tokens.</source>
        <translation>Der Kopf hebt den Logit von %1 um %2, direkt und verglichen mit dem Mittel aller Tokens.</translation>
    </message>
    <message>
        <source>The head lowers the logit of %1 by %2, directly and compared with the mean of all tokens.</source>
        <translation>Der Kopf senkt den Logit von %1 um %2, direkt und verglichen mit dem Mittel aller Tokens.</translation>
    </message>
    <message>
        <source>The learned sink has the score %1 for every query.</source>
        <translation>Die gelernte Senke hat für jede Query den Score %1.</translation>
    </message>
    <message>
        <source>The learned sink: %1.</source>
        <translation>Die gelernte Senke: %1.</translation>
    </message>
    <message>
        <source>The learned sink takes %1 and writes nothing.</source>
        <translation>Die gelernte Senke nimmt %1 und schreibt nichts.</translation>
    </message>
    <message>
        <source>The sum of all exponentials is %1.</source>
        <translation>Die Summe aller Exponentiale ist %1.</translation>
    </message>
    <message>
        <source>The weights of the keys add up to %1.</source>
        <translation>Die Gewichte der Keys summieren sich zu %1.</translation>
    </message>
    <message>
        <source>Its keys and values are shared with head %1.</source>
        <translation>Seine Keys und Values teilt er mit Kopf %1.</translation>
    </message>
    <message>
        <source>Its keys and values are shared with heads %1 and %2.</source>
        <translation>Seine Keys und Values teilt er mit den Köpfen %1 und %2.</translation>
    </message>
    <message>
        <source>What if: temperature %1; the network&apos;s own is 1</source>
        <translation>Was wäre wenn: Temperatur %1; die des Netzes ist 1</translation>
    </message>
</context>
<context>
    <name>LessonText</name>
    <message>
        <source>Why a head looks there</source>
        <translation>Warum ein Kopf dorthin schaut</translation>
    </message>
    <message>
        <source>Where does it look?</source>
        <translation>Wohin schaut er?</translation>
    </message>
    <message>
        <source>The weights of this small model were set by hand. It has read &lt;b&gt;a b c d a b c&lt;/b&gt;. Each row of the picture is a token that looks, the last &lt;b&gt;c&lt;/b&gt; below: head L1 H0 gives all of its attention to &lt;b&gt;d&lt;/b&gt;, which came after the first c, and so helps to predict d. That is an &lt;b&gt;induction head&lt;/b&gt;. But how does it know where d is?</source>
        <translation>Die Gewichte dieses kleinen Modells wurden von Hand gesetzt. Es hat &lt;b&gt;a b c d a b c&lt;/b&gt; gelesen. Jede Zeile des Bildes ist ein Token, das schaut, das letzte &lt;b&gt;c&lt;/b&gt; unten: Kopf L1 H0 gibt seine ganze Aufmerksamkeit an &lt;b&gt;d&lt;/b&gt;, das nach dem ersten c kam, und hilft so, d vorherzusagen. Das ist ein &lt;b&gt;Induktionskopf&lt;/b&gt;. Aber woher weiß er, wo d ist?</translation>
    </message>
    <message>
        <source>Why there?</source>
        <translation>Warum dorthin?</translation>
    </message>
    <message>
        <source>The page &lt;b&gt;Why&lt;/b&gt; takes the score of that one cell apart. What made d stand out from the other keys? The table on the left says: what &lt;b&gt;L0 H0&lt;/b&gt; wrote there. And the query, on the right, reads its own token, c. So d carries the note “after c”. Shares are above 100 % because other parts speak against it. Point at L0 H0 in the table, and the grid shows it.</source>
        <translation>Die Seite &lt;b&gt;Warum&lt;/b&gt; zerlegt den Score dieser einen Zelle. Was hob d von den anderen Keys ab? Die Tabelle links sagt: was &lt;b&gt;L0 H0&lt;/b&gt; dort schrieb. Und die Query, rechts, liest ihr eigenes Token, c. So trägt d den Vermerk „nach c“. Anteile liegen über 100 %, weil andere Teile dagegensprechen. Zeigen Sie in der Tabelle auf L0 H0, und das Raster zeigt ihn.</translation>
    </message>
    <message>
        <source>Is it true?</source>
        <translation>Stimmt das?</translation>
    </message>
    <message>
        <source>What was taken apart can be measured. Choose &lt;b&gt;L0 H0&lt;/b&gt; in the table on the left and press &lt;b&gt;Measure Without It&lt;/b&gt;: the part is taken out of what this one key gives this one head. The score falls as far as it should, and the attention on d is gone; directions drawn at random, of the same length, do far less.</source>
        <translation>Was zerlegt wurde, lässt sich messen. Wählen Sie &lt;b&gt;L0 H0&lt;/b&gt; in der Tabelle links und drücken Sie &lt;b&gt;Ohne ihn messen&lt;/b&gt;: Der Teil wird aus dem herausgenommen, was dieser eine Key diesem einen Kopf gibt. Der Score fällt so weit, wie er soll, und die Aufmerksamkeit auf d ist weg; zufällig gezogene Richtungen derselben Länge bewirken weit weniger.</translation>
    </message>
    <message>
        <source>Who told it?</source>
        <translation>Wer hat es ihm gesagt?</translation>
    </message>
    <message>
        <source>Now the same question for L0 H0 at d; in the graph of the step before, a double click on it leads here. It looks at the token before, c, and both of its sides read &lt;b&gt;positions&lt;/b&gt; alone: it is a &lt;b&gt;previous token head&lt;/b&gt;, and what it moves from c to d is the note.</source>
        <translation>Nun dieselbe Frage für L0 H0 bei d; im Graphen des vorigen Schritts führt ein Doppelklick auf ihn hierher. Er schaut auf das Token davor, c, und seine beiden Seiten lesen nur &lt;b&gt;Positionen&lt;/b&gt;: Er ist ein &lt;b&gt;Previous-Token-Kopf&lt;/b&gt;, und was er von c nach d bringt, ist der Vermerk.</translation>
    </message>
    <message>
        <source>Ablate it</source>
        <translation>Ablation</translation>
    </message>
    <message>
        <source>Here L0 H0 is ablated. The induction head no longer finds d, and the line under the prompt says what that costs: d is no longer predicted. &lt;b&gt;Ctrl+Z&lt;/b&gt; takes it back. Trained models share such work among many heads: open gpt2-mini-6l from the sample models and ask why L4 H1 looks where it looks.</source>
        <translation>Hier ist L0 H0 ablatiert. Der Induktionskopf findet d nicht mehr, und die Zeile unter dem Prompt sagt, was das kostet: d wird nicht mehr vorhergesagt. &lt;b&gt;Strg+Z&lt;/b&gt; nimmt es zurück. Trainierte Modelle verteilen solche Arbeit auf viele Köpfe: Öffnen Sie gpt2-mini-6l aus den Beispielmodellen und fragen Sie, warum L4 H1 dorthin schaut, wohin er schaut.</translation>
    </message>
</context>
<context>
    <name>MainText</name>
    <message>
        <source>See, name, prune and export the attention heads of a transformer.</source>
        <translation>Die Aufmerksamkeitsköpfe eines Transformers sehen, benennen, prunen und exportieren.</translation>
    </message>
    <message>
        <source>Start with this prompt.</source>
        <translation>Mit diesem Prompt beginnen.</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Select this head, such as 4.1.</source>
        <translation>Diesen Kopf wählen, etwa 4.1.</translation>
    </message>
    <message>
        <source>L.H</source>
        <translation>L.H</translation>
    </message>
    <message>
        <source>Write the head&apos;s pattern as .svg, .pdf or .png and open no window.</source>
        <translation>Das Muster des Kopfs als .svg, .pdf oder .png schreiben und kein Fenster öffnen.</translation>
    </message>
    <message>
        <source>file</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Open the model in the window that is open already, if there is one.</source>
        <translation>Das Modell im schon offenen Fenster öffnen, falls es eines gibt.</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>What to open, each in a window of its own: a weight file (.h5, .safetensors, .gguf, .keras), an index of shards, the folder of a model or a project.</source>
        <translation>Was geöffnet wird, jedes in einem eigenen Fenster: eine Gewichtsdatei (.h5, .safetensors, .gguf, .keras), ein Index von Shards, der Ordner eines Modells oder ein Projekt.</translation>
    </message>
    <message>
        <source>[model…]</source>
        <translation>[Modell…]</translation>
    </message>
</context>
<context>
    <name>MenuText</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>Pa&amp;ges</source>
        <translation>Sei&amp;ten</translation>
    </message>
    <message>
        <source>Hea&amp;d</source>
        <translation>&amp;Kopf</translation>
    </message>
    <message>
        <source>&amp;Analyse</source>
        <translation>A&amp;nalyse</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
</context>
<context>
    <name>MissingScores</name>
    <message>
        <source>No model is open: File → Open.</source>
        <translation>Kein Modell ist geöffnet: Datei → Öffnen.</translation>
    </message>
    <message>
        <source>Measuring the types of all heads …</source>
        <translation>Die Typen aller Köpfe werden gemessen …</translation>
    </message>
    <message>
        <source>The types are not measured: Analyse → Score Heads Again.</source>
        <translation>Die Typen sind nicht gemessen: Analyse → Köpfe neu bewerten.</translation>
    </message>
    <message>
        <source>The model does not run, so these types cannot be read; why is said under the prompt.</source>
        <translation>Das Modell läuft nicht, deshalb sind diese Typen nicht zu lesen; warum, steht unter dem Prompt.</translation>
    </message>
</context>
<context>
    <name>ModelTables</name>
    <message>
        <source>nothing is shared: every query head has its own keys and values</source>
        <translation>nichts ist geteilt: Jeder Query-Kopf hat eigene Keys und Values</translation>
    </message>
    <message>
        <source>%1 of %2 per token, which keys and values of their own would need</source>
        <translation>%1 von %2 pro Token, die eigene Keys und Values bräuchten</translation>
    </message>
    <message>
        <source>%1 of weights</source>
        <translation>%1 Gewichte</translation>
    </message>
    <message>
        <source>%1; a run takes %2 for a full context of %3 tokens</source>
        <translation>%1; ein Lauf braucht %2 für einen vollen Kontext von %3 Tokens</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 Schicht</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 Schichten</translation>
    </message>
    <message>
        <source>%1 × %2 heads</source>
        <translation>%1 × %2 Köpfe</translation>
    </message>
    <message>
        <source>%1, %2 heads</source>
        <translation>%1, %2 Köpfe</translation>
    </message>
    <message>
        <source>%1 per token</source>
        <translation>%1 pro Token</translation>
    </message>
    <message>
        <source>%1, %2 for the whole context of %3 tokens (float32)</source>
        <translation>%1, %2 für den ganzen Kontext von %3 Tokens (float32)</translation>
    </message>
    <message>
        <source>%1 G</source>
        <translation>%1 G</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 M</translation>
    </message>
    <message>
        <source>%1 k</source>
        <translation>%1 k</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>none: prompts are token ids</source>
        <translation>keiner: Prompts sind Token-IDs</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>%1, of these %2 in each layer (%3 attention)</source>
        <translation>%1, davon %2 in jeder Schicht (%3 Aufmerksamkeit)</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>Sharing saves</source>
        <translation>Teilen spart</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Cannot be run</source>
        <translation>Kann nicht laufen</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>Matrix</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>Form</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>In total</source>
        <translation>Insgesamt</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Name in the file</source>
        <translation>Name in der Datei</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>config</source>
        <translation>Config</translation>
    </message>
    <message>
        <source>read from here</source>
        <translation>hieraus gelesen</translation>
    </message>
    <message>
        <source>tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keiner</translation>
    </message>
    <message>
        <source>prompts are token ids</source>
        <translation>Prompts sind Token-IDs</translation>
    </message>
    <message>
        <source>BOS</source>
        <translation>BOS</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>ignored</source>
        <translation>ignoriert</translation>
    </message>
    <message>
        <source>config key</source>
        <translation>Config-Schlüssel</translation>
    </message>
    <message>
        <source>not used</source>
        <translation>nicht benutzt</translation>
    </message>
    <message>
        <source>used</source>
        <translation>benutzt</translation>
    </message>
    <message>
        <source>%1, %2 %3, %4</source>
        <translation>%1, %2 %3, %4</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 parameters</source>
        <translation>%1 · %2 · %3 Parameter</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>Fehlt</translation>
    </message>
    <message>
        <source>tensors that the config expects: %1, listed in the load report</source>
        <translation>Tensoren, die die Konfiguration erwartet: %1, aufgezählt im Ladebericht</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>expected by the config: %1</source>
        <translation>laut Konfiguration: %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>%1 (float32)</source>
        <translation>%1 (float32)</translation>
    </message>
</context>
<context>
    <name>PageText</name>
    <message>
        <source>The page in front is not an analysis.</source>
        <translation>Die vordere Seite ist keine Analyse.</translation>
    </message>
    <message>
        <source>There are no pages beside the patterns; “Analyse” opens them.</source>
        <translation>Neben den Mustern gibt es keine Seiten; „Analyse“ öffnet sie.</translation>
    </message>
    <message>
        <source>&amp;Next Page</source>
        <translation>&amp;Nächste Seite</translation>
    </message>
    <message>
        <source>tab analysis switch</source>
        <translation>Reiter Analyse wechseln</translation>
    </message>
    <message>
        <source>&amp;Previous Page</source>
        <translation>&amp;Vorige Seite</translation>
    </message>
    <message>
        <source>Page to the Other &amp;Side</source>
        <translation>&amp;Auf die andere Hälfte</translation>
    </message>
    <message>
        <source>split two side by side beside tab</source>
        <translation>teilen zwei nebeneinander Reiter Seite</translation>
    </message>
    <message>
        <source>Shows two pages side by side, or in one group again</source>
        <translation>Zeigt zwei Seiten nebeneinander oder wieder in einer Gruppe</translation>
    </message>
    <message>
        <source>&amp;Close Page</source>
        <translation>Seite &amp;schließen</translation>
    </message>
    <message>
        <source>tab analysis</source>
        <translation>Reiter Analyse</translation>
    </message>
    <message>
        <source>Analyses in &amp;Windows of Their Own</source>
        <translation>Analysen in eigenen &amp;Fenstern</translation>
    </message>
    <message>
        <source>tear off detach tabs pages screen</source>
        <translation>abreißen ablösen Reiter Seiten Bildschirm</translation>
    </message>
    <message>
        <source>&amp;Heads and Types at the Sides</source>
        <translation>&amp;Köpfe und Typen an den Seiten</translation>
    </message>
    <message>
        <source>panels fold collapse hide grid room</source>
        <translation>Leisten einklappen ausblenden Raster Platz</translation>
    </message>
</context>
<context>
    <name>PatchText</name>
    <message>
        <source>Residual stream before the layer</source>
        <translation>Residualstrom vor der Schicht</translation>
    </message>
    <message>
        <source>Queries</source>
        <translation>Queries</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Keys</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Values</translation>
    </message>
    <message>
        <source>Patterns</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Output of heads (z)</source>
        <translation>Ausgabe der Köpfe (z)</translation>
    </message>
    <message>
        <source>Attention output</source>
        <translation>Attention-Ausgabe</translation>
    </message>
    <message>
        <source>MLP output</source>
        <translation>MLP-Ausgabe</translation>
    </message>
    <message>
        <source>Paths from heads to the logits</source>
        <translation>Pfade von Köpfen zu den Logits</translation>
    </message>
    <message>
        <source>Paths to the queries of the selected head</source>
        <translation>Pfade zu den Queries des gewählten Kopfs</translation>
    </message>
    <message>
        <source>Paths to the keys of the selected head</source>
        <translation>Pfade zu den Keys des gewählten Kopfs</translation>
    </message>
    <message>
        <source>Paths to the values of the selected head</source>
        <translation>Pfade zu den Values des gewählten Kopfs</translation>
    </message>
    <message>
        <source>Patching needs two prompts: write the second one under the first (Ctrl+Shift+B).</source>
        <translation>Patching braucht zwei Prompts: Schreiben Sie den zweiten unter den ersten (Strg+Umschalt+B).</translation>
    </message>
    <message>
        <source>A and B are different models; activations are patched between two prompts of one model.</source>
        <translation>A und B sind verschiedene Modelle; Aktivierungen werden zwischen zwei Prompts eines Modells gepatcht.</translation>
    </message>
    <message>
        <source>A has %1 tokens and B %2; activations are put in place token for token, so make them equally many.</source>
        <translation>A hat %1 Tokens und B %2; Aktivierungen werden Token für Token eingesetzt, machen Sie beide also gleich lang.</translation>
    </message>
    <message>
        <source>A and B are the same prompt, so there is nothing to restore; change a word of B.</source>
        <translation>A und B sind derselbe Prompt, es gibt also nichts wiederherzustellen; ändern Sie ein Wort von B.</translation>
    </message>
    <message>
        <source>This model has no unembedding, so no effect can be measured.</source>
        <translation>Dieses Modell hat kein Unembedding, eine Wirkung lässt sich also nicht messen.</translation>
    </message>
    <message>
        <source>KV %1</source>
        <translation>KV %1</translation>
    </message>
    <message>
        <source>logit of %1 − %2</source>
        <translation>Logit von %1 − %2</translation>
    </message>
    <message>
        <source>probability of %1</source>
        <translation>Wahrscheinlichkeit von %1</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>KL divergence</source>
        <translation>KL-Divergenz</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1, from %2 into %3 · %4</source>
        <translation>%1, von %2 in %3 · %4</translation>
    </message>
    <message>
        <source>layer %1 · %2 %3</source>
        <translation>Schicht %1 · %2 %3</translation>
    </message>
    <message>
        <source>layer %1 · head %2</source>
        <translation>Schicht %1 · Kopf %2</translation>
    </message>
    <message>
        <source>nothing to patch here</source>
        <translation>hier gibt es nichts zu patchen</translation>
    </message>
    <message>
        <source>%1 of the way from %2 (%3) to %4 (%5): %6</source>
        <translation>%1 des Wegs von %2 (%3) zu %4 (%5): %6</translation>
    </message>
</context>
<context>
    <name>PatternText</name>
    <message>
        <source>with BOS</source>
        <translation>mit BOS</translation>
    </message>
    <message>
        <source>without BOS</source>
        <translation>ohne BOS</translation>
    </message>
    <message>
        <source>ablated: %1</source>
        <translation>ablatiert: %1</translation>
    </message>
    <message>
        <source>B − A %1 · A %2 · B %3</source>
        <translation>B − A %1 · A %2 · B %3</translation>
    </message>
    <message>
        <source>change %1 · %2 in the whole model, %3 now</source>
        <translation>Änderung %1 · %2 im ganzen Modell, %3 jetzt</translation>
    </message>
    <message>
        <source>no token of B stands for %1</source>
        <translation>kein Token von B steht für %1</translation>
    </message>
    <message>
        <source>masked: a causal model cannot look ahead</source>
        <translation>maskiert: Ein kausales Modell kann nicht vorausschauen</translation>
    </message>
    <message>
        <source>masked: outside this layer&apos;s window</source>
        <translation>maskiert: außerhalb des Fensters dieser Schicht</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Value-weighted</source>
        <translation>Value-gewichtet</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>value-weighted attention</source>
        <translation>value-gewichtete Aufmerksamkeit</translation>
    </message>
    <message>
        <source>change of attention</source>
        <translation>Änderung der Aufmerksamkeit</translation>
    </message>
    <message>
        <source>%1, B − A</source>
        <translation>%1, B − A</translation>
    </message>
    <message>
        <source>value-weighted</source>
        <translation>value-gewichtet</translation>
    </message>
    <message>
        <source>difference from the whole model</source>
        <translation>Differenz zum ganzen Modell</translation>
    </message>
    <message>
        <source>ablated (%1)</source>
        <translation>ablatiert (%1)</translation>
    </message>
    <message>
        <source>A “%1”, %2</source>
        <translation>A „%1“, %2</translation>
    </message>
    <message>
        <source>B “%1”, %2</source>
        <translation>B „%1“, %2</translation>
    </message>
    <message>
        <source>A[q, k]·‖v_k W_O‖, each row divided by its sum</source>
        <translation>A[q, k]·‖v_k W_O‖, jede Zeile durch ihre Summe geteilt</translation>
    </message>
    <message>
        <source>attention less that of the whole model</source>
        <translation>Aufmerksamkeit minus die des ganzen Modells</translation>
    </message>
    <message>
        <source>first key hidden</source>
        <translation>erster Key ausgeblendet</translation>
    </message>
    <message>
        <source>rows divided by what is left of them</source>
        <translation>Zeilen durch ihren Rest geteilt</translation>
    </message>
    <message>
        <source>query</source>
        <translation>Query</translation>
    </message>
    <message>
        <source>key</source>
        <translation>Key</translation>
    </message>
    <message>
        <source>key, without ‹%1› (%2 of the attention)</source>
        <translation>Key, ohne ‹%1› (%2 der Aufmerksamkeit)</translation>
    </message>
    <message>
        <source>grey bars: what the first key gets</source>
        <translation>graue Balken: was der erste Key bekommt</translation>
    </message>
    <message>
        <source>colours by the square root</source>
        <translation>Farben nach der Quadratwurzel</translation>
    </message>
    <message>
        <source>colours logarithmic</source>
        <translation>Farben logarithmisch</translation>
    </message>
    <message>
        <source>query %1 → key %2</source>
        <translation>Query %1 → Key %2</translation>
    </message>
    <message>
        <source>value-weighted %1</source>
        <translation>value-gewichtet %1</translation>
    </message>
    <message>
        <source>weight %1</source>
        <translation>Gewicht %1</translation>
    </message>
    <message>
        <source>rank %1 of %2</source>
        <translation>Rang %1 von %2</translation>
    </message>
    <message>
        <source>%1 of the row without the first key</source>
        <translation>%1 der Zeile ohne den ersten Key</translation>
    </message>
    <message>
        <source>query %1 changes most at %2</source>
        <translation>Query %1 ändert sich am meisten bei %2</translation>
    </message>
    <message>
        <source>key %1 changes most for %2</source>
        <translation>Key %1 ändert sich am meisten für %2</translation>
    </message>
    <message>
        <source>query %1 takes from %2</source>
        <translation>Query %1 nimmt von %2</translation>
    </message>
    <message>
        <source>key %1 gives to %2</source>
        <translation>Key %1 gibt an %2</translation>
    </message>
    <message>
        <source>query %1 looks at %2</source>
        <translation>Query %1 schaut auf %2</translation>
    </message>
    <message>
        <source>key %1 is read by %2</source>
        <translation>Key %1 wird gelesen von %2</translation>
    </message>
    <message>
        <source>learned sink %1</source>
        <translation>gelernte Senke %1</translation>
    </message>
    <message>
        <source>learned sink takes %1 of the attention</source>
        <translation>gelernte Senke erhält %1 der Aufmerksamkeit</translation>
    </message>
    <message>
        <source>key, beside a learned sink (%1 of the attention)</source>
        <translation>Key, neben einer gelernten Senke (%1 der Aufmerksamkeit)</translation>
    </message>
    <message>
        <source>grey bars: what the learned sink takes</source>
        <translation>graue Balken: was die gelernte Senke erhält</translation>
    </message>
</context>
<context>
    <name>ProjectText</name>
    <message>
        <source>open the project</source>
        <translation>das Projekt öffnen</translation>
    </message>
</context>
<context>
    <name>PromptReportText</name>
    <message>
        <source>The prompt has not been run yet.</source>
        <translation>Der Prompt ist noch nicht gelaufen.</translation>
    </message>
    <message>
        <source>The prompt starts with BOS. %1</source>
        <translation>Der Prompt beginnt mit BOS. %1</translation>
    </message>
    <message>
        <source>The prompt does not start with BOS. %1</source>
        <translation>Der Prompt beginnt nicht mit BOS. %1</translation>
    </message>
    <message>
        <source>Loss %1 nats per token in the whole model, %2 with heads ablated (%3)</source>
        <translation>Loss %1 nats pro Token im ganzen Modell, %2 mit ablatierten Köpfen (%3)</translation>
    </message>
    <message>
        <source>Most probable classes, read at position %1</source>
        <translation>Wahrscheinlichste Klassen, abgelesen an Position %1</translation>
    </message>
    <message>
        <source>Most probable next tokens</source>
        <translation>Wahrscheinlichste nächste Tokens</translation>
    </message>
    <message>
        <source>Most probable tokens at position %1</source>
        <translation>Wahrscheinlichste Tokens an Position %1</translation>
    </message>
    <message>
        <source>token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>whole model</source>
        <translation>ganzes Modell</translation>
    </message>
    <message>
        <source>heads ablated</source>
        <translation>Köpfe ablatiert</translation>
    </message>
    <message>
        <source>change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>%1: %2. Outputs of ablated heads are replaced by %3.</source>
        <translation>%1: %2. Ausgaben ablatierter Köpfe sind ersetzt durch %3.</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>their means over the prompt</source>
        <translation>ihre Mittelwerte über den Prompt</translation>
    </message>
    <message>
        <source>KL divergence from the whole model where its prediction is read: %1 nats.</source>
        <translation>KL-Divergenz vom ganzen Modell dort, wo seine Vorhersage abgelesen wird: %1 nats.</translation>
    </message>
    <message>
        <source>KL divergence from the whole model, mean over the positions of the prompt: %1 nats.</source>
        <translation>KL-Divergenz vom ganzen Modell, Mittel über die Positionen des Prompts: %1 nats.</translation>
    </message>
</context>
<context>
    <name>PromptText</name>
    <message>
        <source>position %1 · id %2</source>
        <translation>Position %1 · ID %2</translation>
    </message>
    <message>
        <source>loss %1 nats</source>
        <translation>Loss %1 nats</translation>
    </message>
    <message>
        <source>%1 in the whole model</source>
        <translation>%1 im ganzen Modell</translation>
    </message>
    <message>
        <source>classes at position %1:</source>
        <translation>Klassen an Position %1:</translation>
    </message>
    <message>
        <source>next:</source>
        <translation>weiter:</translation>
    </message>
    <message>
        <source>at %1:</source>
        <translation>bei %1:</translation>
    </message>
    <message>
        <source>at the first of %1 %2, position %3:</source>
        <translation>beim ersten von %1 %2, Position %3:</translation>
    </message>
    <message>
        <source>compared with ‹%1› %2</source>
        <translation>verglichen mit ‹%1› %2</translation>
    </message>
    <message>
        <source>compared with no token of the other prompt</source>
        <translation>mit keinem Token des anderen Prompts verglichen</translation>
    </message>
    <message>
        <source>1 of %1 tokens is unknown to this tokenizer.</source>
        <translation>1 von %1 Tokens ist diesem Tokenizer unbekannt.</translation>
    </message>
    <message>
        <source>%1 of %2 tokens are unknown to this tokenizer.</source>
        <translation>%1 von %2 Tokens sind diesem Tokenizer unbekannt.</translation>
    </message>
    <message>
        <source>This model has no unembedding to predict with: it shows attention only.</source>
        <translation>Dieses Modell hat kein Unembedding zum Vorhersagen: Es zeigt nur Aufmerksamkeit.</translation>
    </message>
    <message>
        <source>Write %1 where the model should fill in a token.</source>
        <translation>Schreiben Sie %1 dorthin, wo das Modell ein Token einsetzen soll.</translation>
    </message>
    <message>
        <source>This model reads both ways and predicts no next token.</source>
        <translation>Dieses Modell liest in beide Richtungen und sagt kein nächstes Token vorher.</translation>
    </message>
    <message>
        <source>was %1</source>
        <translation>vorher %1</translation>
    </message>
    <message>
        <source>The prompt starts with BOS.</source>
        <translation>Der Prompt beginnt mit BOS.</translation>
    </message>
    <message>
        <source>The prompt does not start with BOS.</source>
        <translation>Der Prompt beginnt nicht mit BOS.</translation>
    </message>
    <message>
        <source>As the model was trained (automatic).</source>
        <translation>Wie das Modell trainiert wurde (automatisch).</translation>
    </message>
    <message>
        <source>Chosen by you.</source>
        <translation>Von Ihnen gewählt.</translation>
    </message>
    <message>
        <source>Click to change; the arrow offers all choices.</source>
        <translation>Klicken zum Ändern; der Pfeil bietet alle Möglichkeiten.</translation>
    </message>
    <message>
        <source>segment %1</source>
        <translation>Segment %1</translation>
    </message>
</context>
<context>
    <name>PruningReading</name>
    <message>
        <source>loss, nats per token</source>
        <translation>Loss, nats pro Token</translation>
    </message>
    <message>
        <source>perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>KL from the whole model, nats</source>
        <translation>KL vom ganzen Modell, nats</translation>
    </message>
    <message>
        <source>indirect objects that are right (baseline: 0.5)</source>
        <translation>richtige indirekte Objekte (Baseline: 0.5)</translation>
    </message>
    <message>
        <source>verbs that agree with their subject (baseline: 0.5)</source>
        <translation>Verben, die zum Subjekt passen (Baseline: 0.5)</translation>
    </message>
    <message>
        <source>top-1 agreement with the whole model</source>
        <translation>Top-1-Übereinstimmung mit dem ganzen Modell</translation>
    </message>
    <message>
        <source>loss %1 nats</source>
        <translation>Loss %1 nats</translation>
    </message>
    <message>
        <source>perplexity %1</source>
        <translation>Perplexität %1</translation>
    </message>
    <message>
        <source>KL %1 nats</source>
        <translation>KL %1 nats</translation>
    </message>
    <message>
        <source>indirect object right for %1</source>
        <translation>indirektes Objekt richtig bei %1</translation>
    </message>
    <message>
        <source>verb agrees for %1</source>
        <translation>Verb passt bei %1</translation>
    </message>
    <message>
        <source>same top token for %1</source>
        <translation>gleiches erstes Token bei %1</translation>
    </message>
    <message>
        <source>random; others must beat it</source>
        <translation>Zufall; den müssen andere schlagen</translation>
    </message>
    <message>
        <source>loss with each head ablated</source>
        <translation>Loss bei Ablation jedes Kopfs</translation>
    </message>
    <message>
        <source>gradient of the loss at its gate</source>
        <translation>Gradient des Loss an seinem Gate</translation>
    </message>
    <message>
        <source>gradient, scaled by layer</source>
        <translation>Gradient, je Schicht skaliert</translation>
    </message>
    <message>
        <source>estimated change of prediction</source>
        <translation>geschätzte Änderung der Vorhersage</translation>
    </message>
    <message>
        <source>norm of W_V W_O</source>
        <translation>Norm von W_V W_O</translation>
    </message>
    <message>
        <source>norm of its output, by layer</source>
        <translation>Norm seiner Ausgabe, je Schicht</translation>
    </message>
    <message>
        <source>how much its output varies</source>
        <translation>wie sehr seine Ausgabe schwankt</translation>
    </message>
    <message>
        <source>weights times activations</source>
        <translation>Gewichte mal Aktivierungen</translation>
    </message>
    <message>
        <source>what others cannot reproduce</source>
        <translation>was andere nicht nachbilden</translation>
    </message>
    <message>
        <source>the weaker of two similar heads</source>
        <translation>schwächerer zweier ähnlicher Köpfe</translation>
    </message>
    <message>
        <source>heads in the order of a file</source>
        <translation>Köpfe in Reihenfolge einer Datei</translation>
    </message>
    <message>
        <source>loss, updated after each cut</source>
        <translation>Loss, nach jedem Schnitt neu</translation>
    </message>
    <message>
        <source>gradient, updated after each cut</source>
        <translation>Gradient, nach jedem Schnitt neu</translation>
    </message>
    <message>
        <source>Several random orders, one for each seed, shown as a band from the lowest to the highest. An order that is not better than these has found nothing.</source>
        <translation>Mehrere zufällige Reihenfolgen, eine je Seed, als Band vom niedrigsten zum höchsten Wert gezeigt. Eine Reihenfolge, die nicht besser ist, hat nichts gefunden.</translation>
    </message>
    <message>
        <source>Loss on the calibration text with the head ablated, minus the loss of the whole model: exact, one run for each head.</source>
        <translation>Loss auf dem Kalibrierungstext mit ablatiertem Kopf, minus den des ganzen Modells: exakt, ein Lauf je Kopf.</translation>
    </message>
    <message>
        <source>Mean |∂ loss / ∂ gate| of a gate on each head (Michel et al. 2019).</source>
        <translation>Mittel von |∂ Loss / ∂ Gate| eines Gates an jedem Kopf (Michel et al. 2019).</translation>
    </message>
    <message>
        <source>The gradient divided by the norm of all gradients of the layer (Molchanov et al. 2017), so that layers can be compared.</source>
        <translation>Der Gradient geteilt durch die Norm aller Gradienten der Schicht (Molchanov et al. 2017), damit Schichten vergleichbar sind.</translation>
    </message>
    <message>
        <source>KL from the whole model, to second order in the gate; needs no labels.</source>
        <translation>KL vom ganzen Modell, bis zur zweiten Ordnung im Gate; braucht keine Labels.</translation>
    </message>
    <message>
        <source>Frobenius norm of W_V W_O: from the weights alone, no text.</source>
        <translation>Frobeniusnorm von W_V W_O: aus den Gewichten allein, ohne Text.</translation>
    </message>
    <message>
        <source>Mean norm of what the head writes, divided by the mean of its layer (AHON, arXiv 2504.03889).</source>
        <translation>Mittlere Norm dessen, was der Kopf schreibt, geteilt durch das Mittel seiner Schicht (AHON, arXiv 2504.03889).</translation>
    </message>
    <message>
        <source>Variance of z times the squared norm of W_O, divided by that of its layer (FLAP; An et al. 2024).</source>
        <translation>Varianz von z mal quadrierte Norm von W_O, geteilt durch die seiner Schicht (FLAP; An et al. 2024).</translation>
    </message>
    <message>
        <source>Sum of |W_O| times the norm of z, divided by that of its layer (Sun et al. 2024).</source>
        <translation>Summe von |W_O| mal Norm von z, geteilt durch die seiner Schicht (Sun et al. 2024).</translation>
    </message>
    <message>
        <source>The part of its output that the other heads of the layer cannot reproduce by least squares.</source>
        <translation>Der Teil seiner Ausgabe, den die anderen Köpfe der Schicht nach kleinsten Quadraten nicht nachbilden können.</translation>
    </message>
    <message>
        <source>Of the two most similar heads of a layer (CKA of z), the one that adds less goes first.</source>
        <translation>Von den zwei ähnlichsten Köpfen einer Schicht (CKA von z) geht der zuerst, der weniger beiträgt.</translation>
    </message>
    <message>
        <source>Heads without a type go first, then those whose type is weak.</source>
        <translation>Köpfe ohne Typ gehen zuerst, dann die, deren Typ schwach ist.</translation>
    </message>
    <message>
        <source>A text file with heads such as 4.1, in the order in which they go.</source>
        <translation>Eine Textdatei mit Köpfen wie 4.1, in der Reihenfolge, in der sie gehen.</translation>
    </message>
    <message>
        <source>As ablation, but all remaining heads are scored again after every cut: exact and slow.</source>
        <translation>Wie Ablation, und nach jedem Schnitt werden alle übrigen Köpfe neu bewertet: exakt und langsam.</translation>
    </message>
    <message>
        <source>As gradient, but all remaining heads are scored again after every cut.</source>
        <translation>Wie Gradient, und nach jedem Schnitt werden alle übrigen Köpfe neu bewertet.</translation>
    </message>
    <message>
        <source>%1 of %2 in %3</source>
        <translation>%1 aus %2 in %3</translation>
    </message>
    <message>
        <source>token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>document</source>
        <translation>Dokument</translation>
    </message>
    <message>
        <source>documents</source>
        <translation>Dokumenten</translation>
    </message>
    <message>
        <source>passage</source>
        <translation>Passage</translation>
    </message>
    <message>
        <source>passages</source>
        <translation>Passagen</translation>
    </message>
    <message>
        <source>%1: %2 of %3 heads removed (%4)
%5</source>
        <translation>%1: %2 von %3 Köpfen entfernt (%4)
%5</translation>
    </message>
    <message>
        <source>; %1 more than the whole model, 95 % %2 to %3</source>
        <translation>; %1 mehr als das ganze Modell, 95 % %2 bis %3</translation>
    </message>
    <message>
        <source>heads that write nothing first, then those without a type</source>
        <translation>zuerst Köpfe, die nichts schreiben, dann Köpfe ohne Typ</translation>
    </message>
</context>
<context>
    <name>ReadText</name>
    <message>
        <source>%1 reads %2</source>
        <translation>%1 liest %2</translation>
    </message>
</context>
<context>
    <name>Readout</name>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>MLP of layer %1</source>
        <translation>MLP von Schicht %1</translation>
    </message>
    <message>
        <source>biases of layer %1</source>
        <translation>Biases von Schicht %1</translation>
    </message>
    <message>
        <source>Logit of %1</source>
        <translation>Logit von %1</translation>
    </message>
    <message>
        <source> minus that of %1</source>
        <translation> minus das von %1</translation>
    </message>
    <message>
        <source>%1 at %2: %3. Its parts add up to %4.</source>
        <translation>%1 bei %2: %3. Seine Teile ergeben zusammen %4.</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>What writes into the residual stream</source>
        <translation>Was in den Residualstrom schreibt</translation>
    </message>
    <message>
        <source>Adds to the logit</source>
        <translation>Beitrag zum Logit</translation>
    </message>
    <message>
        <source>What it writes at this position, read in the direction of the token, with every norm held at its scale in this run</source>
        <translation>Was es an dieser Position schreibt, in Richtung des Tokens gelesen, jede Norm auf ihrer Skala in diesem Lauf gehalten</translation>
    </message>
    <message>
        <source>Most of it from</source>
        <translation>Größtenteils von</translation>
    </message>
    <message>
        <source>The position whose value contributes most to this head, A[q, k]·v_k</source>
        <translation>Die Position, deren Value am meisten zu diesem Kopf beiträgt, A[q, k]·v_k</translation>
    </message>
</context>
<context>
    <name>RefusalText</name>
    <message>
        <source>It is not there any more.</source>
        <translation>Das gibt es nicht mehr.</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>Öffnen Sie erst ein Modell.</translation>
    </message>
    <message>
        <source>Run a prompt first.</source>
        <translation>Lassen Sie erst einen Prompt laufen.</translation>
    </message>
    <message>
        <source>No heads of this model share keys and values.</source>
        <translation>In diesem Modell teilen sich keine Köpfe Keys und Values.</translation>
    </message>
    <message>
        <source>No matrix of this model is square.</source>
        <translation>Keine Matrix dieses Modells ist quadratisch.</translation>
    </message>
    <message>
        <source>Ablate a head first.</source>
        <translation>Ablatieren Sie erst einen Kopf.</translation>
    </message>
    <message>
        <source>Write a second prompt below the first (Ctrl+Shift+B).</source>
        <translation>Schreiben Sie einen zweiten Prompt unter den ersten (Strg+Umschalt+B).</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>Es gibt nichts rückgängig zu machen.</translation>
    </message>
    <message>
        <source>There is nothing to do again.</source>
        <translation>Es gibt nichts zu wiederholen.</translation>
    </message>
</context>
<context>
    <name>RepeatText</name>
    <message>
        <source>The pattern has no numbers until the prompt has run.</source>
        <translation>Das Muster hat keine Zahlen, bevor der Prompt gelaufen ist.</translation>
    </message>
    <message>
        <source>No command weights patterns by values; show Attention, or export the numbers.</source>
        <translation>Kein Befehl gewichtet Muster mit Values; zeigen Sie Aufmerksamkeit oder exportieren Sie die Zahlen.</translation>
    </message>
    <message>
        <source>The head is being read; try again in a moment.</source>
        <translation>Der Kopf wird noch gelesen; versuchen Sie es gleich noch einmal.</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>Kein Modell ist geöffnet.</translation>
    </message>
</context>
<context>
    <name>RepetitionText</name>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
    <message>
        <source>The prompt has not run yet.</source>
        <translation>Der Prompt ist noch nicht gelaufen.</translation>
    </message>
    <message>
        <source>The scores are not measured yet.</source>
        <translation>Die Scores sind noch nicht gemessen.</translation>
    </message>
    <message>
        <source>No command scores heads while some are ablated; restore them.</source>
        <translation>Kein Befehl bewertet Köpfe, während einige ablatiert sind; stellen Sie sie wieder her.</translation>
    </message>
    <message>
        <source>Scores over a set of prompts come with the command of the window Prompt Set, one head and type at a time.</source>
        <translation>Scores über ein Prompt-Set kommen mit dem Befehl des Fensters „Prompt-Set“, jeweils ein Kopf und ein Typ.</translation>
    </message>
    <message>
        <source>The effect of ablating this head is not measured yet.</source>
        <translation>Die Wirkung der Ablation dieses Kopfs ist noch nicht gemessen.</translation>
    </message>
    <message>
        <source>The other heads that a head is compared with depend on the thresholds, and commands use the default ones; reset the thresholds and measure again.</source>
        <translation>Mit welchen anderen Köpfen ein Kopf verglichen wird, hängt von den Schwellen ab, und Befehle benutzen die voreingestellten; setzen Sie die Schwellen zurück und messen Sie erneut.</translation>
    </message>
    <message>
        <source>The labels come from a set of prompts, and no command measures effects on such a set.</source>
        <translation>Die Labels stammen von einem Prompt-Set, und kein Befehl misst Wirkungen auf einem solchen Set.</translation>
    </message>
    <message>
        <source>Labels are tested on what their types are defined by, and these are read from text of yours.</source>
        <translation>Labels werden dort geprüft, wo ihre Typen definiert sind, und diese sind aus Ihrem eigenen Text gelesen.</translation>
    </message>
    <message>
        <source>Commands label heads by the default thresholds; reset the thresholds.</source>
        <translation>Befehle vergeben Labels nach den vorgegebenen Schwellen; setzen Sie die Schwellen zurück.</translation>
    </message>
</context>
<context>
    <name>ReportText</name>
    <message>
        <source>Architecture</source>
        <translation>Architektur</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>none: prompts are token ids</source>
        <translation>keiner: Prompts sind Token-IDs</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
    <message>
        <source>Written by</source>
        <translation>Geschrieben von</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>Beschreibung</translation>
    </message>
    <message>
        <source>Types and scores of all heads:</source>
        <translation>Typen und Scores aller Köpfe:</translation>
    </message>
    <message>
        <source>Types and scores of all heads on the prompt:</source>
        <translation>Typen und Scores aller Köpfe auf dem Prompt:</translation>
    </message>
    <message>
        <source>Types and scores of all heads on the prompt, in the whole model; those above were measured with heads ablated:</source>
        <translation>Typen und Scores aller Köpfe auf dem Prompt, im ganzen Modell; die oben wurden mit ablatierten Köpfen gemessen:</translation>
    </message>
    <message>
        <source>Loss and predictions%1, no head ablated:</source>
        <translation>Loss und Vorhersagen%1, kein Kopf ablatiert:</translation>
    </message>
    <message>
        <source>Loss and predictions%1, with heads ablated:</source>
        <translation>Loss und Vorhersagen%1, mit ablatierten Köpfen:</translation>
    </message>
    <message>
        <source>Attention of %1%2, query by key:</source>
        <translation>Aufmerksamkeit von %1%2, Query mal Key:</translation>
    </message>
    <message>
        <source>Attention of the layer of %1%2 with heads ablated, by head, query and key:</source>
        <translation>Aufmerksamkeit der Schicht von %1%2 mit ablatierten Köpfen, nach Kopf, Query und Key:</translation>
    </message>
    <message>
        <source> of B</source>
        <translation> in B</translation>
    </message>
    <message>
        <source>%1 in place of %2</source>
        <translation>%1 statt %2</translation>
    </message>
    <message>
        <source>Square weight matrices were read transposed.</source>
        <translation>Quadratische Gewichtsmatrizen wurden transponiert gelesen.</translation>
    </message>
    <message>
        <source>What %1 writes cannot be read: %2</source>
        <translation>Was %1 schreibt, lässt sich nicht lesen: %2</translation>
    </message>
</context>
<context>
    <name>SampleModels</name>
    <message>
        <source>GPT-2, 6 layers × 8 heads</source>
        <translation>GPT-2, 6 Schichten × 8 Köpfe</translation>
    </message>
    <message>
        <source>Llama, 4 × 8 heads sharing 2 KV heads</source>
        <translation>Llama, 4 × 8 Köpfe teilen 2 KV-Köpfe</translation>
    </message>
    <message>
        <source>BERT, 4 × 8 heads, reads both ways</source>
        <translation>BERT, 4 × 8 Köpfe, liest in beide Richtungen</translation>
    </message>
    <message>
        <source>attention only, 2 × 8 heads</source>
        <translation>nur Attention, 2 × 8 Köpfe</translation>
    </message>
    <message>
        <source>made by hand: every score is known</source>
        <translation>von Hand gebaut: jeder Score ist bekannt</translation>
    </message>
    <message>
        <source>4192 parameters, first names</source>
        <translation>4192 Parameter, Vornamen</translation>
    </message>
    <message>
        <source>one layer, two heads, published numbers</source>
        <translation>eine Schicht, zwei Köpfe, veröffentlichte Zahlen</translation>
    </message>
</context>
<context>
    <name>Similarity</name>
    <message>
        <source>The closest are %1 and %2, %3 apart.</source>
        <translation>Am nächsten sind sich %1 und %2, Abstand %3.</translation>
    </message>
    <message>
        <source>%1 and %2 · pattern distance %3 nats · output cosine %4</source>
        <translation>%1 und %2 · Musterabstand %3 nats · Kosinus der Ausgaben %4</translation>
    </message>
    <message>
        <source>No heads are closer than %1.</source>
        <translation>Keine Köpfe sind sich näher als %1.</translation>
    </message>
    <message>
        <source>1 cluster closer than %2: %3</source>
        <translation>1 Cluster enger als %2: %3</translation>
    </message>
    <message>
        <source>%1 clusters closer than %2: %3</source>
        <translation>%1 Cluster enger als %2: %3</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>and</source>
        <translation>und</translation>
    </message>
    <message>
        <source>Pattern distance</source>
        <translation>Musterabstand</translation>
    </message>
    <message>
        <source>Jensen-Shannon divergence of their attention rows in nats, 0 to 0.693 (Clark et al. 2019)</source>
        <translation>Jensen-Shannon-Divergenz ihrer Aufmerksamkeitszeilen in nats, 0 bis 0.693 (Clark et al. 2019)</translation>
    </message>
    <message>
        <source>Output cosine</source>
        <translation>Kosinus der Ausgaben</translation>
    </message>
    <message>
        <source>Cosine of what they write, z W_O, as a mean over positions</source>
        <translation>Kosinus dessen, was sie schreiben, z W_O, als Mittel über die Positionen</translation>
    </message>
</context>
<context>
    <name>TestedText</name>
    <message>
        <source>Labels that you test now are not kept after the window is closed.</source>
        <translation>Labels, die Sie jetzt prüfen, werden nur behalten, bis das Fenster geschlossen wird.</translation>
    </message>
    <message>
        <source>It is kept as %1.</source>
        <translation>Sie wird als %1 behalten.</translation>
    </message>
    <message>
        <source>The tested labels cannot be kept: %1 cannot be written.</source>
        <translation>Die geprüften Labels lassen sich nicht behalten: %1 lässt sich nicht schreiben.</translation>
    </message>
    <message>
        <source>The tested labels cannot be kept now: another window writes %1.</source>
        <translation>Die geprüften Labels lassen sich jetzt nicht behalten: Ein anderes Fenster schreibt %1.</translation>
    </message>
</context>
<context>
    <name>TokenMenus</name>
    <message>
        <source>&amp;Copy ‹%1›</source>
        <translation>‹%1› &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy &amp;Id %1</source>
        <translation>&amp;ID %1 kopieren</translation>
    </message>
    <message>
        <source>Un&amp;lock Its Row</source>
        <translation>Zeile &amp;loslassen</translation>
    </message>
    <message>
        <source>&amp;Lock Its Row</source>
        <translation>Zeile fest&amp;halten</translation>
    </message>
    <message>
        <source>Append ‹%1›</source>
        <translation>‹%1› anhängen</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
</context>
<context>
    <name>TokenReading</name>
    <message>
        <source>the first %1 of %2 chosen heads</source>
        <translation>die ersten %1 von %2 gewählten Köpfen</translation>
    </message>
    <message>
        <source>square matrices transposed</source>
        <translation>quadratische Matrizen transponiert</translation>
    </message>
    <message>
        <source>query %1 → %2</source>
        <translation>Query %1 → %2</translation>
    </message>
    <message>
        <source>key %1 ← %2</source>
        <translation>Key %1 ← %2</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>maskiert</translation>
    </message>
    <message>
        <source>query %1 → key %2 · %3</source>
        <translation>Query %1 → Key %2 · %3</translation>
    </message>
    <message>
        <source>without the first key ‹%1› (%2 of the attention)</source>
        <translation>ohne den ersten Key ‹%1› (%2 der Aufmerksamkeit)</translation>
    </message>
</context>
<context>
    <name>TourText</name>
    <message>
        <source>Queries are rows, keys are columns. A click locks a row, and the wheel zooms. Where the first key takes more than half of the attention, it is left out, and grey bars show its share; “Hide first key” brings it back. In models with learned sinks, such as GPT-OSS, grey bars show what these take.</source>
        <translation>Queries sind Zeilen, Keys sind Spalten. Ein Klick hält eine Zeile fest, das Rad zoomt. Wo der erste Key mehr als die Hälfte der Aufmerksamkeit erhält, wird er weggelassen, und graue Balken zeigen seinen Anteil; „Ohne ersten Key“ holt ihn zurück. In Modellen mit gelernten Sinks wie GPT-OSS zeigen graue Balken, was diese erhalten.</translation>
    </message>
    <message>
        <source>The prompt is running text. It is tinted by what the word under the pointer looks at, or by what looks at it.</source>
        <translation>Der Prompt ist fortlaufender Text. Er ist danach eingefärbt, wohin das Wort unter dem Zeiger schaut oder was auf dieses Wort schaut.</translation>
    </message>
    <message>
        <source>Lines join each token with the tokens it looks at. Choose more heads with Ctrl, Shift or by dragging in the grid: each has a colour.</source>
        <translation>Linien verbinden jedes Token mit den Tokens, auf die es schaut. Wählen Sie weitere Köpfe mit Strg, Umschalt oder durch Ziehen im Raster: Jeder hat eine Farbe.</translation>
    </message>
    <message>
        <source>The page splits the attention score of one query and key exactly into what embeddings, heads and MLPs wrote. In its graph, a click on a head follows it and a double click explains it. “Measure Without It” removes a part and measures what is left.</source>
        <translation>Die Seite zerlegt den Aufmerksamkeits-Score einer Query und eines Keys genau in das, was Embeddings, Köpfe und MLPs geschrieben haben. In ihrem Graphen verfolgt ein Klick auf einen Kopf diesen weiter, ein Doppelklick erklärt ihn. „Ohne ihn messen“ entfernt einen Teil und misst, was übrig bleibt.</translation>
    </message>
    <message>
        <source>The model continues the prompt, also with ablated heads.</source>
        <translation>Das Modell setzt den Prompt fort, auch mit ablatierten Köpfen.</translation>
    </message>
    <message>
        <source>Ablates the head and ten other heads near it, compares the losses and says in a word what it found. “Find its backups” names the heads that make up for it. In the grid, a dot marks a head that is needed, a bar one that interferes, and a ring one of which neither was found.</source>
        <translation>Ablatiert den Kopf und zehn andere Köpfe in seiner Nähe, vergleicht die Loss-Werte und sagt mit einem Wort, was sich zeigt. „Ersatz suchen“ nennt die Köpfe, die ihn ersetzen. Im Raster steht ein Punkt für einen Kopf, der gebraucht wird, ein Strich für einen, der stört, und ein Ring für einen, bei dem keines von beiden gefunden wurde.</translation>
    </message>
    <message>
        <source>Asks of each label whether it is specific, transfers to other input and is stable, and whether the model needs the head. The results are kept for the next time this model is opened.</source>
        <translation>Fragt bei jedem Label, ob es spezifisch ist, sich auf andere Eingaben überträgt und stabil ist, und ob das Modell den Kopf braucht. Die Ergebnisse sind noch da, wenn dieses Modell wieder geöffnet wird.</translation>
    </message>
    <message>
        <source>The strip under the prompt shows the loss, the predictions and the KL divergence before and after. “Difference” in the list of maps shows which patterns changed. A cross in the strip restores a head.</source>
        <translation>Der Streifen unter dem Prompt zeigt Loss, Vorhersagen und KL-Divergenz vorher und nachher. „Differenz“ in der Liste der Karten zeigt, welche Muster sich geändert haben. Ein Kreuz im Streifen stellt einen Kopf wieder her.</translation>
    </message>
    <message>
        <source>A second prompt or model appears below the first. Tokens that differ are framed, and every page shows A, B or B − A. If tokens are aligned wrongly, click the token of A and Ctrl+click the matching one of B.</source>
        <translation>Ein zweiter Prompt oder ein zweites Modell erscheint unter dem ersten. Tokens, die sich unterscheiden, sind umrahmt, und jede Seite zeigt A, B oder B − A. Sind Tokens falsch zugeordnet, klicken Sie das Token von A an und mit Strg das passende von B.</translation>
    </message>
    <message>
        <source>Shows which activations of A, or which paths from head to head, make B predict what A predicts.</source>
        <translation>Zeigt, welche Aktivierungen von A oder welche Pfade von Kopf zu Kopf B vorhersagen lassen, was A vorhersagt.</translation>
    </message>
    <message>
        <source>Runs hundreds of prompts: a file, pasted lines or bundled sentences. A table shows the loss of each prompt, what the ablated heads change in it, and what the selected head does there. A row can be opened as the prompt.</source>
        <translation>Lässt Hunderte von Prompts laufen: eine Datei, eingefügte Zeilen oder mitgelieferte Sätze. Eine Tabelle zeigt den Loss jedes Prompts, was die ablatierten Köpfe daran ändern und was der gewählte Kopf dort tut. Eine Zeile lässt sich als Prompt öffnen.</translation>
    </message>
    <message>
        <source>Scans a text once for all heads and shows where in it the selected head looks most strongly, in the median, or at random. Folders written by HeadVis can be opened, too.</source>
        <translation>Liest einen Text einmal für alle Köpfe und zeigt, wo der gewählte Kopf darin am stärksten, im Median oder zufällig gewählt hinschaut. Auch Ordner, die HeadVis geschrieben hat, lassen sich öffnen.</translation>
    </message>
    <message>
        <source>Splits the logit of a token into what each part of the network adds, and shows the prediction at each depth.</source>
        <translation>Zerlegt das Logit eines Tokens in das, was jeder Teil des Netzes beiträgt, und zeigt die Vorhersage in jeder Tiefe.</translation>
    </message>
    <message>
        <source>Reads from the weights what heads copy, and which head feeds which.</source>
        <translation>Liest aus den Gewichten, was Köpfe kopieren und welcher Kopf welchen speist.</translation>
    </message>
    <message>
        <source>Compares all pairs of heads and groups those that do the same.</source>
        <translation>Vergleicht alle Paare von Köpfen und gruppiert die, die dasselbe tun.</translation>
    </message>
    <message>
        <source>Removes heads in several orders and draws what each cut costs on a text that was not used to choose them, beside random orders. A verdict says how many heads can go. The smaller model is written for Headscope, transformers or llama.cpp.</source>
        <translation>Entfernt Köpfe in mehreren Reihenfolgen und zeichnet, was jeder Schnitt auf einem Text kostet, der nicht zu ihrer Wahl diente, neben zufälligen Reihenfolgen. Ein Urteil sagt, wie viele Köpfe wegfallen können. Das kleinere Modell wird für Headscope, transformers oder llama.cpp geschrieben.</translation>
    </message>
    <message>
        <source>Each analysis is a page beside the patterns. This puts two pages side by side.</source>
        <translation>Jede Analyse ist eine Seite neben den Mustern. Dies stellt zwei Seiten nebeneinander.</translation>
    </message>
    <message>
        <source>Writes the figure as SVG, PDF or PNG, or the numbers as npz, npy, HDF5, CSV or JSON.</source>
        <translation>Schreibt die Abbildung als SVG, PDF oder PNG oder die Zahlen als npz, npy, HDF5, CSV oder JSON.</translation>
    </message>
    <message>
        <source>Writes what the window shows as one HTML page, with the commands that repeat the numbers. The page has no script and loads nothing.</source>
        <translation>Schreibt, was das Fenster zeigt, als eine HTML-Seite, mit den Befehlen, die die Zahlen wiederholen. Die Seite enthält kein Skript und lädt nichts.</translation>
    </message>
    <message>
        <source>Writes all that was done in the window as a shell or Python script.</source>
        <translation>Schreibt alles, was im Fenster getan wurde, als Shell- oder Python-Skript.</translation>
    </message>
    <message>
        <source>The star and a line of text stay with the head.</source>
        <translation>Der Stern und eine Zeile Text bleiben beim Kopf.</translation>
    </message>
    <message>
        <source>Keeps model, prompt, ablated heads, thresholds, notes and pages in one file, which opens like a model even if the model&apos;s file was moved. After a crash the next start offers to restore what was open.</source>
        <translation>Bewahrt Modell, Prompt, ablatierte Köpfe, Schwellen, Notizen und Seiten in einer Datei auf, die sich wie ein Modell öffnen lässt, auch wenn die Datei des Modells verschoben wurde. Nach einem Absturz bietet der nächste Start an, wiederherzustellen, was offen war.</translation>
    </message>
    <message>
        <source>A tour of the window</source>
        <translation>Ein Rundgang durch das Fenster</translation>
    </message>
    <message>
        <source>Follows one query through the head, from the stream to the logits: query, key and value, scores, softmax, weighted sum and W_O. Point at a number to see how it comes about; the temperature of the softmax is a what-if.</source>
        <translation>Folgt einer Query durch den Kopf, vom Strom bis zu den Logits: Query, Key und Value, Scores, Softmax, gewichtete Summe und W_O. Zeigen Sie auf eine Zahl, um zu sehen, wie sie entsteht; die Temperatur der Softmax ist ein Was-wäre-wenn.</translation>
    </message>
</context>
<context>
    <name>ViewText</name>
    <message>
        <source>&amp;System Theme</source>
        <translation>Farbschema des &amp;Systems</translation>
    </message>
    <message>
        <source>&amp;Light Theme</source>
        <translation>&amp;Helles Farbschema</translation>
    </message>
    <message>
        <source>&amp;Dark Theme</source>
        <translation>&amp;Dunkles Farbschema</translation>
    </message>
    <message>
        <source>colours appearance</source>
        <translation>Farben Aussehen Thema Design</translation>
    </message>
    <message>
        <source>&amp;Heatmap of the Selected Head</source>
        <translation>&amp;Heatmap des gewählten Kopfs</translation>
    </message>
    <message>
        <source>attention pattern</source>
        <translation>Aufmerksamkeitsmuster</translation>
    </message>
    <message>
        <source>Patterns of &amp;All Heads</source>
        <translation>Muster &amp;aller Köpfe</translation>
    </message>
    <message>
        <source>attention mosaic overview</source>
        <translation>Aufmerksamkeit Mosaik Übersicht</translation>
    </message>
    <message>
        <source>Prompt as Te&amp;xt, Tinted by the Chosen Heads</source>
        <translation>Prompt als Te&amp;xt, getönt von den gewählten Köpfen</translation>
    </message>
    <message>
        <source>running words tokens reads highlight</source>
        <translation>laufend Wörter Tokens liest hervorheben</translation>
    </message>
    <message>
        <source>Li&amp;nes Between Tokens of the Chosen Heads</source>
        <translation>&amp;Linien zwischen Tokens der gewählten Köpfe</translation>
    </message>
    <message>
        <source>BertViz head view columns</source>
        <translation>BertViz Kopfansicht Spalten</translation>
    </message>
    <message>
        <source>Wh&amp;y the Selected Head Looks There</source>
        <translation>&amp;Warum der gewählte Kopf dorthin schaut</translation>
    </message>
    <message>
        <source>reason cause score query key decompose trace graph circuit</source>
        <translation>Grund Ursache Score Query Key zerlegen verfolgen Graph Schaltkreis</translation>
    </message>
    <message>
        <source>Text Shows &amp;Who Reads a Token</source>
        <translation>Text zeigt, wer ein To&amp;ken liest</translation>
    </message>
    <message>
        <source>direction turn round attended by</source>
        <translation>Richtung umkehren herum gelesen von</translation>
    </message>
    <message>
        <source>Reset &amp;Zoom</source>
        <translation>&amp;Zoom zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Difference from the Whole Model</source>
        <translation>&amp;Differenz zum ganzen Modell</translation>
    </message>
    <message>
        <source>ablation change effect before after</source>
        <translation>Ablation Änderung Wirkung vorher nachher</translation>
    </message>
    <message>
        <source>&amp;Value-Weighted Pattern</source>
        <translation>&amp;Value-gewichtetes Muster</translation>
    </message>
    <message>
        <source>norm map</source>
        <translation>Norm Karte</translation>
    </message>
    <message>
        <source>Hide the &amp;First Key</source>
        <translation>&amp;Ersten Key ausblenden</translation>
    </message>
    <message>
        <source>attention sink BOS column past</source>
        <translation>Attention-Sink BOS Spalte hinter</translation>
    </message>
    <message>
        <source>&amp;Own Colour Scale</source>
        <translation>Eigene &amp;Farbskala</translation>
    </message>
    <message>
        <source>range stretch</source>
        <translation>Bereich strecken</translation>
    </message>
    <message>
        <source>O&amp;utline Where a Head of Its Type Would Look</source>
        <translation>&amp;Umranden, wohin ein Kopf seines Typs schauen würde</translation>
    </message>
    <message>
        <source>perfect targets</source>
        <translation>perfekt Ziele</translation>
    </message>
    <message>
        <source>Colour Heads &amp;By …</source>
        <translation>Köpfe einfär&amp;ben nach …</translation>
    </message>
    <message>
        <source>score grid</source>
        <translation>Score Raster</translation>
    </message>
    <message>
        <source>&amp;Sort Heads by Score</source>
        <translation>Köpfe nach Score &amp;sortieren</translation>
    </message>
    <message>
        <source>order grid</source>
        <translation>Reihenfolge Raster</translation>
    </message>
    <message>
        <source>Model &amp;Card</source>
        <translation>&amp;Modellkarte</translation>
    </message>
    <message>
        <source>parameters KV cache size GQA MQA</source>
        <translation>Parameter KV-Cache Größe GQA MQA</translation>
    </message>
    <message>
        <source>Load &amp;Report</source>
        <translation>Ladebe&amp;richt</translation>
    </message>
    <message>
        <source>tensors ignored config</source>
        <translation>Tensoren ignoriert Config</translation>
    </message>
    <message>
        <source>Read S&amp;quare Matrices Transposed</source>
        <translation>&amp;Quadratische Matrizen transponiert lesen</translation>
    </message>
    <message>
        <source>flip the other way round layout</source>
        <translation>umdrehen andersherum Layout</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>Farbs&amp;chema</translation>
    </message>
    <message>
        <source>&amp;Inside the Selected Head, Step by Step</source>
        <translation>&amp;Innen im gewählten Kopf, Schritt für Schritt</translation>
    </message>
    <message>
        <source>query key value score softmax temperature weighted sum concatenation mechanism numbers learn</source>
        <translation>Query Key Value Score Softmax Temperatur gewichtete Summe Verkettung Mechanismus Zahlen lernen</translation>
    </message>
</context>
<context>
    <name>WhyContentText</name>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>MLP %1</source>
        <translation>MLP %1</translation>
    </message>
    <message>
        <source>token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>biases</source>
        <translation>Biases</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>, reads %1 with %2</source>
        <translation>, liest %1 mit %2</translation>
    </message>
    <message>
        <source>An MLP is not linear: the walk ends here.</source>
        <translation>Ein MLP ist nicht linear: Der Weg endet hier.</translation>
    </message>
    <message>
        <source>Double click to explain this head.</source>
        <translation>Doppelklick erklärt diesen Kopf.</translation>
    </message>
    <message>
        <source>Click to follow it, double click to explain it.</source>
        <translation>Klick verfolgt ihn, Doppelklick erklärt ihn.</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>the other keys</source>
        <translation>den anderen Keys</translation>
    </message>
    <message>
        <source>%1 of what it moved there</source>
        <translation>%1 dessen, was er dorthin brachte</translation>
    </message>
    <message>
        <source>%1 of the score</source>
        <translation>%1 des Scores</translation>
    </message>
    <message>
        <source>%1 of the score&apos;s distance to %2</source>
        <translation>%1 des Score-Abstands zu %2</translation>
    </message>
    <message>
        <source>as query</source>
        <translation>als Query</translation>
    </message>
    <message>
        <source>as key</source>
        <translation>als Key</translation>
    </message>
    <message>
        <source>as value</source>
        <translation>als Value</translation>
    </message>
    <message>
        <source>Why %1 looks from %2 to %3</source>
        <translation>Warum %1 von %2 auf %3 schaut</translation>
    </message>
    <message>
        <source>What wrote into the residual stream at the key</source>
        <translation>Was beim Key in den Residualstrom schrieb</translation>
    </message>
    <message>
        <source>What wrote into the residual stream at the query</source>
        <translation>Was bei der Query in den Residualstrom schrieb</translation>
    </message>
    <message>
        <source>Written by</source>
        <translation>Schreiber</translation>
    </message>
    <message>
        <source>Adds</source>
        <translation>Beitrag</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>distance</source>
        <translation>Abstand</translation>
    </message>
    <message>
        <source>What the key reads, at %1</source>
        <translation>Was der Key liest, bei %1</translation>
    </message>
    <message>
        <source>What the query reads, at %1</source>
        <translation>Was die Query liest, bei %1</translation>
    </message>
    <message>
        <source>What the writer adds to the score, minus what it adds to the score that this one is compared with; norms are held at their scales</source>
        <translation>Was der Schreiber zum Score beiträgt, minus was er zu dem Score beiträgt, mit dem verglichen wird; Normen sind auf ihren Skalen gehalten</translation>
    </message>
</context>
<context>
    <name>WhyDetailText</name>
    <message>
        <source>%1 below %2</source>
        <translation>%1 unter %2</translation>
    </message>
    <message>
        <source>%1 above %2</source>
        <translation>%1 über %2</translation>
    </message>
    <message>
        <source>the mean embedding</source>
        <translation>das mittlere Embedding</translation>
    </message>
    <message>
        <source>What the query reads times what the key reads; all pairs%1 add up to the score&apos;s %2.</source>
        <translation>Was die Query liest mal was der Key liest; alle Paare%1 ergeben die %2 des Scores.</translation>
    </message>
    <message>
        <source> and %1 by the distance</source>
        <translation> und %1 durch den Abstand</translation>
    </message>
    <message>
        <source>Query times key at %1, for each key and dimension of the head; a row adds up to the score of its key.</source>
        <translation>Query mal Key bei %1, für jeden Key und jede Dimension des Kopfs; eine Zeile ergibt den Score ihres Keys.</translation>
    </message>
    <message>
        <source>Tokens can be removed only in the whole model; restore all heads to see which tokens this weight depends on.</source>
        <translation>Tokens lassen sich nur im ganzen Modell wegnehmen; stellen Sie alle Köpfe wieder her, um zu sehen, von welchen Tokens dieses Gewicht abhängt.</translation>
    </message>
    <message>
        <source>What the %1 of attention on %2 change by when a token is hidden from all other positions, or replaced by %3, as measured. Gradients estimate the latter, with rank correlations of %4 and %5.</source>
        <translation>Um wie viel sich die %1 Aufmerksamkeit auf %2 ändern, wenn ein Token vor allen anderen Positionen verborgen oder durch %3 ersetzt wird, wie gemessen. Gradienten schätzen Letzteres, mit Rangkorrelationen von %4 und %5.</translation>
    </message>
    <message>
        <source>%1, dimension %2: query %3 times key %4 adds %5.</source>
        <translation>%1, Dimension %2: Query %3 mal Key %4 ergibt %5.</translation>
    </message>
    <message>
        <source>Before rotary positions: %1 and %2.</source>
        <translation>Vor den Rotary-Positionen: %1 und %2.</translation>
    </message>
    <message>
        <source>%1 of the %2 singular directions of the head&apos;s QK form carry 90 % of the score&apos;s %3. Words: tokens whose embeddings reach furthest along them.</source>
        <translation>%1 der %2 singulären Richtungen der QK-Form des Kopfs tragen 90 % des Scores von %3. Wörter: Tokens, deren Embeddings am weitesten entlang der Richtung reichen.</translation>
    </message>
    <message>
        <source>Query times key for each dimension of the head, after norm and rotary, minus the same for the key it is compared with, if any. They add up to the score&apos;s %1.</source>
        <translation>Query mal Key für jede Dimension des Kopfs, nach Norm und Rotary, minus dasselbe für den Key, mit dem verglichen wird, falls es einen gibt. Zusammen ergeben sie die %1 des Scores.</translation>
    </message>
</context>
<context>
    <name>WhyText</name>
    <message>
        <source>the embedding</source>
        <translation>das Embedding</translation>
    </message>
    <message>
        <source>the positions</source>
        <translation>das Positions-Embedding</translation>
    </message>
    <message>
        <source>the token types</source>
        <translation>das Token-Typ-Embedding</translation>
    </message>
    <message>
        <source>MLP of layer %1</source>
        <translation>MLP von Schicht %1</translation>
    </message>
    <message>
        <source>the biases</source>
        <translation>die Summe der Biases</translation>
    </message>
    <message>
        <source>the other keys</source>
        <translation>den anderen Keys</translation>
    </message>
    <message>
        <source>%1 gives %2 of its attention at %3 to %4.</source>
        <translation>%1 gibt bei %3 %2 seiner Aufmerksamkeit an %4.</translation>
    </message>
    <message>
        <source>It sees no other key there, so nothing had to be matched.</source>
        <translation>Er sieht dort keinen anderen Key, es musste also nichts passen.</translation>
    </message>
    <message>
        <source>The score is %1, most of it by what</source>
        <translation>Der Score ist %1, größtenteils durch das, was</translation>
    </message>
    <message>
        <source>The score is %1 below %2, most of it by what</source>
        <translation>Der Score liegt %1 unter %2, größtenteils durch das, was</translation>
    </message>
    <message>
        <source>The score is %1 above %2, most of it by what</source>
        <translation>Der Score liegt %1 über %2, größtenteils durch das, was</translation>
    </message>
    <message>
        <source>%1 wrote at %2 (%3), matched by what %4 wrote at %5 (%6).</source>
        <translation>%1 bei %2 schrieb (%3), getroffen von dem, was %4 bei %5 schrieb (%6).</translation>
    </message>
    <message>
        <source>The soft-cap is held at its value here.</source>
        <translation>Der Soft-Cap ist hier auf seinem Wert gehalten.</translation>
    </message>
    <message>
        <source>Without what %1 gives the key at %2</source>
        <translation>Ohne das, was %1 dem Key bei %2 gibt</translation>
    </message>
    <message>
        <source>Without what %1 gives the query at %2</source>
        <translation>Ohne das, was %1 der Query bei %2 gibt</translation>
    </message>
    <message>
        <source>%1: the score of %2 should fall to %3, and measured it is %4; with the norms taken anew %5, along random directions %6. The weight goes from %7 to %8</source>
        <translation>%1: Der Score von %2 sollte auf %3 fallen und ist gemessen %4; mit neu genommenen Normen %5, entlang zufälliger Richtungen %6. Das Gewicht geht von %7 auf %8</translation>
    </message>
    <message>
        <source>, and the prediction at %1 moves by %2 nats</source>
        <translation>, und die Vorhersage bei %1 verschiebt sich um %2 nats</translation>
    </message>
</context>
<context>
    <name>WorstPage</name>
    <message>
        <source>Text before it</source>
        <translation>Text davor</translation>
    </message>
    <message>
        <source>Up to eight tokens before it</source>
        <translation>Bis zu acht Tokens davor</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>The token that was to be predicted</source>
        <translation>Das Token, das vorherzusagen war</translation>
    </message>
    <message>
        <source>Whole</source>
        <translation>Ganz</translation>
    </message>
    <message>
        <source>Its loss in the whole model, nats</source>
        <translation>Sein Loss im ganzen Modell, nats</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Schnitt</translation>
    </message>
    <message>
        <source>Its loss with these heads removed, nats</source>
        <translation>Sein Loss ohne diese Köpfe, nats</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>How much the loss grew, nats</source>
        <translation>Wie viel der Loss wuchs, nats</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Passage and position in the test text</source>
        <translation>Passage und Position im Testtext</translation>
    </message>
</context>
<context>
    <name>WrittenToText</name>
    <message>
        <source>With ablated heads a command writes several arrays, which .npy cannot hold; choose another format.</source>
        <translation>Mit ablatierten Köpfen schreibt ein Befehl mehrere Arrays, die .npy nicht fassen kann; wählen Sie ein anderes Format.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::AblatedHeads</name>
    <message>
        <source>Ablated heads</source>
        <translation>Ablatierte Köpfe</translation>
    </message>
    <message>
        <source>Ablated heads that have no room here: choose one to restore it</source>
        <translation>Ablatierte Köpfe, die hier keinen Platz haben: Wählen Sie einen zum Wiederherstellen</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>Select %1</source>
        <translation>%1 wählen</translation>
    </message>
    <message>
        <source>Restore %1</source>
        <translation>%1 wiederherstellen</translation>
    </message>
    <message>
        <source>+%1 more</source>
        <translation>+%1 weitere</translation>
    </message>
</context>
<context>
    <name>headscope::ui::Ablation</name>
    <message>
        <source>ablate by zero</source>
        <translation>durch Null ablatieren</translation>
    </message>
    <message>
        <source>ablate by mean</source>
        <translation>durch Mittelwert ablatieren</translation>
    </message>
    <message>
        <source>restore %1</source>
        <translation>%1 wiederherstellen</translation>
    </message>
    <message>
        <source>ablate %1</source>
        <translation>%1 ablatieren</translation>
    </message>
    <message>
        <source>KV group %1 of layer %2</source>
        <translation>KV-Gruppe %1 von Schicht %2</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>restore all heads</source>
        <translation>alle Köpfe wiederherstellen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::AblationKindBox</name>
    <message>
        <source>What replaces the output of an ablated head</source>
        <translation>Was die Ausgabe eines ablatierten Kopfs ersetzt</translation>
    </message>
    <message>
        <source>What replaces the output of an ablated head: zeros, or its mean over the positions of this prompt</source>
        <translation>Was die Ausgabe eines ablatierten Kopfs ersetzt: Nullen oder ihr Mittelwert über die Positionen dieses Prompts</translation>
    </message>
    <message>
        <source>by zero</source>
        <translation>durch Null</translation>
    </message>
    <message>
        <source>by its mean</source>
        <translation>durch Mittel</translation>
    </message>
</context>
<context>
    <name>headscope::ui::AblationPanel</name>
    <message>
        <source>Replace this head&apos;s output before W_O (Del)</source>
        <translation>Die Ausgabe dieses Kopfs vor W_O ersetzen (Entf)</translation>
    </message>
    <message>
        <source>Ablated heads</source>
        <translation>Ablatierte Köpfe</translation>
    </message>
    <message>
        <source>Double click or Return selects the head</source>
        <translation>Doppelklick oder Eingabetaste wählt den Kopf</translation>
    </message>
    <message>
        <source>&amp;Restore All Heads</source>
        <translation>Alle Köpfe wiede&amp;rherstellen</translation>
    </message>
    <message>
        <source>Ablation</source>
        <translation>Ablation</translation>
    </message>
    <message>
        <source>Restore %1</source>
        <translation>%1 wiederherstellen</translation>
    </message>
    <message>
        <source>Ablate %1</source>
        <translation>%1 ablatieren</translation>
    </message>
    <message>
        <source>%1 ablated by %2</source>
        <translation>%1 ablatiert durch %2</translation>
    </message>
</context>
<context>
    <name>headscope::ui::AblationStrip</name>
    <message>
        <source>Effect of the ablated heads</source>
        <translation>Wirkung der ablatierten Köpfe</translation>
    </message>
    <message>
        <source>Takes the last step back (Ctrl+Z)</source>
        <translation>Nimmt den letzten Schritt zurück (Strg+Z)</translation>
    </message>
    <message>
        <source>Restore All</source>
        <translation>Alle zurück</translation>
    </message>
    <message>
        <source>Restores all ablated heads</source>
        <translation>Stellt alle ablatierten Köpfe wieder her</translation>
    </message>
    <message>
        <source>Running the prompt …</source>
        <translation>Prompt läuft …</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Undo %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::AllHeadsView</name>
    <message>
        <source>Patterns of all heads</source>
        <translation>Muster aller Köpfe</translation>
    </message>
    <message>
        <source>No prompt was run yet.</source>
        <translation>Noch ist kein Prompt gelaufen.</translation>
    </message>
    <message>
        <source>What the colours of the pictures stand for</source>
        <translation>Wofür die Farben der Bilder stehen</translation>
    </message>
    <message>
        <source>weight, each head up to its largest</source>
        <translation>Gewicht, jeder Kopf bis zu seinem größten</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>Gewicht</translation>
    </message>
</context>
<context>
    <name>headscope::ui::AttributionDialog</name>
    <message>
        <source>Direct logit attribution and logit lens</source>
        <translation>Direkte Logit-Attribution und Logit-Linse</translation>
    </message>
    <message>
        <source>Taking the logit apart</source>
        <translation>Zerlegen des Logits</translation>
    </message>
    <message>
        <source>Logit lens</source>
        <translation>Logit-Linse</translation>
    </message>
    <message>
        <source>Where the prediction is read</source>
        <translation>Wo die Vorhersage abgelesen wird</translation>
    </message>
    <message>
        <source>most probable</source>
        <translation>wahrscheinlichstes</translation>
    </message>
    <message>
        <source>Whose logit: one of the most probable, or type any token and press Return; write the space in front of a word as a space or “·”</source>
        <translation>Wessen Logit: eines der wahrscheinlichsten, oder ein beliebiges Token eintippen und Eingabetaste drücken; das Leerzeichen vor einem Wort als Leerzeichen oder „·“ schreiben</translation>
    </message>
    <message>
        <source>no other token</source>
        <translation>kein anderes Token</translation>
    </message>
    <message>
        <source>With another token the difference of the two logits is taken apart; what both share falls away</source>
        <translation>Mit einem anderen Token wird die Differenz der beiden Logits zerlegt; was beide teilen, fällt weg</translation>
    </message>
    <message>
        <source>&amp;Position</source>
        <translation>&amp;Position</translation>
    </message>
    <message>
        <source>&amp;Token</source>
        <translation>&amp;Token</translation>
    </message>
    <message>
        <source>&amp;minus</source>
        <translation>&amp;minus</translation>
    </message>
    <message>
        <source>&amp;Direct logit attribution</source>
        <translation>&amp;Direkte Logit-Attribution</translation>
    </message>
    <message>
        <source>Logit &amp;lens</source>
        <translation>Logit-&amp;Linse</translation>
    </message>
    <message>
        <source>The prediction appears here when the prompt has run.</source>
        <translation>Die Vorhersage erscheint hier, wenn der Prompt gelaufen ist.</translation>
    </message>
    <message>
        <source>most probable: %1</source>
        <translation>wahrscheinlichstes: %1</translation>
    </message>
    <message>
        <source>There is nothing to repeat yet.</source>
        <translation>Noch gibt es nichts zu wiederholen.</translation>
    </message>
    <message>
        <source>Direct logit attribution</source>
        <translation>Direkte Logit-Attribution</translation>
    </message>
</context>
<context>
    <name>headscope::ui::AttributionPage</name>
    <message>
        <source>Direct logit attribution: the changes that a part causes in later layers are not included</source>
        <translation>Direkte Logit-Attribution: Was ein Teil in späteren Schichten ändert, ist nicht enthalten</translation>
    </message>
    <message>
        <source>Parts of the logit, strongest first</source>
        <translation>Teile des Logits, die stärksten zuerst</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CarryBar</name>
    <message>
        <source>Folder (*)</source>
        <translation>Ordner (*)</translation>
    </message>
    <message>
        <source>GGUF (*.gguf)</source>
        <translation>GGUF (*.gguf)</translation>
    </message>
    <message>
        <source>HDF5 (*.h5)</source>
        <translation>HDF5 (*.h5)</translation>
    </message>
    <message>
        <source>Appl&amp;y as Ablation</source>
        <translation>Als Ablation an&amp;wenden</translation>
    </message>
    <message>
        <source>Ablates the heads of the chosen point in the grid, and no others</source>
        <translation>Ablatiert im Raster die Köpfe des gewählten Punkts und keine anderen</translation>
    </message>
    <message>
        <source>Sa&amp;ve Smaller Model</source>
        <translation>Kleineres Modell &amp;sichern</translation>
    </message>
    <message>
        <source>Writes the model without these heads, compared with the masked one, with its recipe beside it</source>
        <translation>Schreibt das Modell ohne diese Köpfe, verglichen mit dem maskierten, das Rezept daneben</translation>
    </message>
    <message>
        <source>Save Reci&amp;pe …</source>
        <translation>Re&amp;zept sichern …</translation>
    </message>
    <message>
        <source>Writes which heads go and how, for headscope-cli prune --recipe</source>
        <translation>Schreibt, welche Köpfe gehen und wie, für headscope-cli prune --recipe</translation>
    </message>
    <message>
        <source>Fi&amp;gure …</source>
        <translation>A&amp;bbildung …</translation>
    </message>
    <message>
        <source>Writes the curves as .svg, .pdf or .png in light colours</source>
        <translation>Schreibt die Kurven als .svg, .pdf oder .png in hellen Farben</translation>
    </message>
    <message>
        <source>N&amp;umbers …</source>
        <translation>Za&amp;hlen …</translation>
    </message>
    <message>
        <source>Writes every point with its intervals as .csv, .json or .h5</source>
        <translation>Schreibt jeden Punkt mit seinen Intervallen als .csv, .json oder .h5</translation>
    </message>
    <message>
        <source>For &amp;Headscope (.h5) …</source>
        <translation>Für &amp;Headscope (.h5) …</translation>
    </message>
    <message>
        <source>For &amp;transformers (folder) …</source>
        <translation>Für &amp;transformers (Ordner) …</translation>
    </message>
    <message>
        <source>For &amp;llama.cpp (.gguf) …</source>
        <translation>Für &amp;llama.cpp (.gguf) …</translation>
    </message>
    <message>
        <source>Writing the smaller model …</source>
        <translation>Das kleinere Modell wird geschrieben …</translation>
    </message>
    <message>
        <source>Saved %1, %2 (predicted %3), with its recipe; it differs by %4 of the largest logit from the masked model.</source>
        <translation>%1 gespeichert, %2 (vorhergesagt %3), mit Rezept; es weicht um %4 des größten Logits vom maskierten Modell ab.</translation>
    </message>
    <message>
        <source>With transformers, open it by the load_model.py inside.</source>
        <translation>Mit transformers öffnen Sie es über load_model.py darin.</translation>
    </message>
    <message>
        <source>Recipe (*.recipe.json)</source>
        <translation>Rezept (*.recipe.json)</translation>
    </message>
    <message>
        <source>SVG (*.svg);;PDF (*.pdf);;PNG (*.png)</source>
        <translation>SVG (*.svg);;PDF (*.pdf);;PNG (*.png)</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CircuitsDialog</name>
    <message>
        <source>OV/QK circuits</source>
        <translation>OV/QK-Schaltkreise</translation>
    </message>
    <message>
        <source>Reading circuits</source>
        <translation>Schaltkreise lesen</translation>
    </message>
    <message>
        <source>Stopped; “Compute Again” reads the circuits.</source>
        <translation>Angehalten; „Neu berechnen“ liest die Schaltkreise.</translation>
    </message>
    <message>
        <source>Co&amp;mposition</source>
        <translation>&amp;Komposition</translation>
    </message>
    <message>
        <source>OV cop&amp;ying</source>
        <translation>OV-Ko&amp;pieren</translation>
    </message>
    <message>
        <source>Reading circuits …</source>
        <translation>Schaltkreise werden gelesen …</translation>
    </message>
    <message>
        <source>OV and QK circuits</source>
        <translation>OV- und QK-Schaltkreise</translation>
    </message>
    <message>
        <source>There is nothing to repeat yet.</source>
        <translation>Noch gibt es nichts zu wiederholen.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ColourLegend</name>
    <message>
        <source>%1, colours from %2 to %3</source>
        <translation>%1, Farben von %2 bis %3</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Type a command</source>
        <translation>Befehl eintippen</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>No command matches “%1”.</source>
        <translation>Kein Befehl passt zu „%1“.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CompareBar</name>
    <message>
        <source>What the prompt is compared with</source>
        <translation>Womit der Prompt verglichen wird</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Prompt of B</source>
        <translation>Prompt von B</translation>
    </message>
    <message>
        <source>The prompt above; type to compare it with another</source>
        <translation>Der Prompt oben; tippen, um ihn mit einem anderen zu vergleichen</translation>
    </message>
    <message>
        <source>Heads of B</source>
        <translation>Köpfe von B</translation>
    </message>
    <message>
        <source>Ablated as above</source>
        <translation>Ablatiert wie oben</translation>
    </message>
    <message>
        <source>No head ablated</source>
        <translation>Kein Kopf ablatiert</translation>
    </message>
    <message>
        <source>Align by Itself</source>
        <translation>Automatisch zuordnen</translation>
    </message>
    <message>
        <source>Tokens were aligned by hand; forget that</source>
        <translation>Tokens wurden von Hand zugeordnet; das vergessen</translation>
    </message>
    <message>
        <source>End the comparison</source>
        <translation>Vergleich beenden</translation>
    </message>
    <message>
        <source>End the comparison (Ctrl+Shift+B)</source>
        <translation>Vergleich beenden (Strg+Umschalt+B)</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Tokens of B</source>
        <translation>Tokens von B</translation>
    </message>
    <message>
        <source>The model of B: this one, or another with as many layers and heads, such as a checkpoint of the same training</source>
        <translation>Das Modell von B: dieses oder ein anderes mit ebenso vielen Schichten und Köpfen, etwa ein Checkpoint desselben Trainings</translation>
    </message>
    <message>
        <source>&amp;Same Model</source>
        <translation>&amp;Gleiches Modell</translation>
    </message>
    <message>
        <source>&amp;Another Model …</source>
        <translation>&amp;Anderes Modell …</translation>
    </message>
    <message>
        <source>Same model</source>
        <translation>Gleiches Modell</translation>
    </message>
    <message>
        <source>Ablate in B the heads that are ablated above, or none. With none ablated and the same prompt, B is the whole model.</source>
        <translation>Ablatiert in B die Köpfe, die oben ablatiert sind, oder keinen. Ohne Ablation und mit demselben Prompt ist B das ganze Modell.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::Comparison</name>
    <message>
        <source>%1 layers of %2 heads</source>
        <translation>%1 Schichten mit %2 Köpfen</translation>
    </message>
    <message>
        <source>%1 layers and %2 heads</source>
        <translation>%1 Schichten und %2 Köpfe</translation>
    </message>
    <message>
        <source>%1 has %2, and the open model %3; heads can be compared only between models that have the same.</source>
        <translation>%1 hat %2 und das offene Modell %3; Köpfe lassen sich nur zwischen Modellen vergleichen, die gleich viele haben.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ComplexPlane</name>
    <message>
        <source>%1 numbers</source>
        <translation>%1 Zahlen</translation>
    </message>
    <message>
        <source>Re</source>
        <translation>Re</translation>
    </message>
    <message>
        <source>Im</source>
        <translation>Im</translation>
    </message>
    <message>
        <source>circle: |λ| = %1</source>
        <translation>Kreis: |λ| = %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CompositionPage</name>
    <message>
        <source>Composition of all pairs of heads</source>
        <translation>Komposition aller Paare von Köpfen</translation>
    </message>
    <message>
        <source>Strongest connections of heads</source>
        <translation>Stärkste Verbindungen von Köpfen</translation>
    </message>
    <message>
        <source>Which input of the later head is compared: its queries (Q), keys (K) or values (V)</source>
        <translation>Welche Eingabe des späteren Kopfs verglichen wird: seine Queries (Q), Keys (K) oder Values (V)</translation>
    </message>
    <message>
        <source>How many connections are drawn and listed</source>
        <translation>Wie viele Verbindungen gezeichnet und aufgezählt werden</translation>
    </message>
    <message>
        <source>Query position minus key position: with rotary positions what a query finds in a key depends on it</source>
        <translation>Position der Query minus Position des Keys: Bei Rotary-Positionen hängt davon ab, was eine Query in einem Key findet</translation>
    </message>
    <message>
        <source>&amp;Kind</source>
        <translation>&amp;Art</translation>
    </message>
    <message>
        <source>&amp;Strongest</source>
        <translation>&amp;Stärkste</translation>
    </message>
    <message>
        <source>&amp;Offset</source>
        <translation>&amp;Versatz</translation>
    </message>
    <message>
        <source>This model has one layer, so no head reads what another writes.</source>
        <translation>Dieses Modell hat eine Schicht, kein Kopf liest also, was ein anderer schreibt.</translation>
    </message>
    <message>
        <source>Point at a cell to read it; a click on a cell or a line selects the later head.</source>
        <translation>Zeigen Sie auf eine Zelle, um sie zu lesen; ein Klick auf eine Zelle oder eine Linie wählt den späteren Kopf.</translation>
    </message>
    <message>
        <source>%1 above baseline (%2)</source>
        <translation>%1 über der Baseline (%2)</translation>
    </message>
    <message>
        <source>from</source>
        <translation>von</translation>
    </message>
    <message>
        <source>to</source>
        <translation>nach</translation>
    </message>
    <message>
        <source>above baseline</source>
        <translation>über Baseline</translation>
    </message>
    <message>
        <source>Nothing is found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CopyActions</name>
    <message>
        <source>Copy as Co&amp;mmand</source>
        <translation>Als &amp;Befehl kopieren</translation>
    </message>
    <message>
        <source>Copy as P&amp;ython</source>
        <translation>Als P&amp;ython kopieren</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>Kopieren als</translation>
    </message>
    <message>
        <source>A line of headscope-cli, or of Python, that gives these numbers again</source>
        <translation>Eine Zeile für headscope-cli oder in Python, die diese Zahlen wieder ergibt</translation>
    </message>
    <message>
        <source>Puts the line of headscope-cli on the clipboard that gives these numbers again</source>
        <translation>Legt die Zeile für headscope-cli in die Zwischenablage, die diese Zahlen wieder ergibt</translation>
    </message>
    <message>
        <source>Puts lines of Python on the clipboard that give these numbers again</source>
        <translation>Legt Zeilen in Python in die Zwischenablage, die diese Zahlen wieder ergeben</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CopyingPage</name>
    <message>
        <source>Copying score of each head, highest first</source>
        <translation>Kopier-Score jedes Kopfs, der höchste zuerst</translation>
    </message>
    <message>
        <source>Eigenvalues of the selected head</source>
        <translation>Eigenwerte des gewählten Kopfs</translation>
    </message>
    <message>
        <source>The eigenvalues of W_E W_V W_O W_U: those on the right raise what they read, those on the left lower it</source>
        <translation>Die Eigenwerte von W_E W_V W_O W_U: Die rechten heben an, was sie lesen, die linken senken es</translation>
    </message>
    <message>
        <source>%1: %2 eigenvalues, score %3</source>
        <translation>%1: %2 Eigenwerte, Score %3</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CurvePage</name>
    <message>
        <source>What is drawn against the number of heads removed</source>
        <translation>Was gegen die Zahl der entfernten Köpfe gezeichnet wird</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation>Perplexität</translation>
    </message>
    <message>
        <source>KL from the whole model</source>
        <translation>KL vom ganzen Modell</translation>
    </message>
    <message>
        <source>Top-1 agreement</source>
        <translation>Top-1-Übereinstimmung</translation>
    </message>
    <message>
        <source>Indirect object</source>
        <translation>Indirektes Objekt</translation>
    </message>
    <message>
        <source>Subject and verb</source>
        <translation>Subjekt und Verb</translation>
    </message>
    <message>
        <source>How much more loss the verdict allows</source>
        <translation>Wie viel mehr Loss das Urteil erlaubt</translation>
    </message>
    <message>
        <source> % more loss</source>
        <translation> % mehr Loss</translation>
    </message>
    <message>
        <source>Curves of all orders</source>
        <translation>Kurven aller Reihenfolgen</translation>
    </message>
    <message>
        <source>Sho&amp;w</source>
        <translation>Zei&amp;gen</translation>
    </message>
    <message>
        <source>Tolera&amp;nce of the verdict</source>
        <translation>Tolera&amp;nz des Urteils</translation>
    </message>
    <message>
        <source>The whole model does not do this task, so nothing can be lost.</source>
        <translation>Das ganze Modell löst diese Aufgabe nicht, es kann also nichts verloren gehen.</translation>
    </message>
    <message>
        <source>Open a model to prune it.</source>
        <translation>Öffnen Sie ein Modell, um es zu prunen.</translation>
    </message>
    <message>
        <source>Measuring the whole model …</source>
        <translation>Das ganze Modell wird gemessen …</translation>
    </message>
    <message>
        <source>Stopped before the first point; “Measure” goes on.</source>
        <translation>Vor dem ersten Punkt angehalten; „Messen“ macht weiter.</translation>
    </message>
    <message>
        <source>“Measure” ranks the heads on the calibration text, removes them in each order, and draws here what that costs on the test text.</source>
        <translation>„Messen“ reiht die Köpfe auf dem Kalibrierungstext, entfernt sie in jeder Reihenfolge und zeichnet hier, was das auf dem Testtext kostet.</translation>
    </message>
    <message>
        <source>The verdict appears when the curves are complete.</source>
        <translation>Das Urteil erscheint, wenn die Kurven vollständig sind.</translation>
    </message>
    <message>
        <source>No curve is complete yet, so there is no verdict.</source>
        <translation>Noch ist keine Kurve vollständig, es gibt also kein Urteil.</translation>
    </message>
    <message>
        <source>How many heads can go?</source>
        <translation>Wie viele Köpfe können gehen?</translation>
    </message>
    <message>
        <source>%1: heads removed, judged on %2</source>
        <translation>%1: entfernte Köpfe, beurteilt auf %2</translation>
    </message>
    <message>
        <source>Point at a curve to read it; a click or a drag along it ablates its heads in the grid.</source>
        <translation>Zeigen Sie auf eine Kurve, um sie zu lesen; Klicken oder Ziehen an ihr entlang ablatiert ihre Köpfe im Raster.</translation>
    </message>
    <message>
        <source>ablate %1 heads by %2</source>
        <translation>%1 Köpfe nach %2 ablatieren</translation>
    </message>
    <message>
        <source>%1 heads are ablated by %2 in the grid; Ctrl+Z takes it back.</source>
        <translation>%1 Köpfe sind im Raster ablatiert (%2); Strg+Z nimmt es zurück.</translation>
    </message>
    <message>
        <source>The grid is as it was before the drag.</source>
        <translation>Das Raster ist wie vor dem Ziehen.</translation>
    </message>
    <message>
        <source>The text whose curves are drawn and whose heads are cut</source>
        <translation>Der Text, dessen Kurven gezeichnet und dessen Köpfe entfernt werden</translation>
    </message>
    <message>
        <source>Te&amp;xt shown</source>
        <translation>Gezeigter Te&amp;xt</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CurvePlot</name>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
</context>
<context>
    <name>headscope::ui::CutPage</name>
    <message>
        <source>Layer %1: %2 of %3 heads stay</source>
        <translation>Schicht %1: %2 von %3 Köpfen bleiben</translation>
    </message>
    <message>
        <source>; removed: %1</source>
        <translation>; entfernt: %1</translation>
    </message>
    <message>
        <source>Heads left in each layer</source>
        <translation>Verbliebene Köpfe je Schicht</translation>
    </message>
    <message>
        <source>What is left of each layer is shown here when a point of a curve is chosen.</source>
        <translation>Was von jeder Schicht bleibt, steht hier, wenn ein Punkt einer Kurve gewählt ist.</translation>
    </message>
    <message>
        <source>The speed is measured when a smaller model is saved.</source>
        <translation>Die Geschwindigkeit wird gemessen, wenn ein kleineres Modell gespeichert wird.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::DetailTabs</name>
    <message>
        <source>Sides</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>What the key reads, and what the query reads</source>
        <translation>Was der Key liest und was die Query liest</translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>What the query reads times what the key reads</source>
        <translation>Was die Query liest mal was der Key liest</translation>
    </message>
    <message>
        <source>Directions</source>
        <translation>Richtungen</translation>
    </message>
    <message>
        <source>The score along the singular directions of the head</source>
        <translation>Der Score entlang der singulären Richtungen des Kopfs</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>Dimensionen</translation>
    </message>
    <message>
        <source>The score by dimension of query and key</source>
        <translation>Der Score nach Dimension von Query und Key</translation>
    </message>
    <message>
        <source>All keys</source>
        <translation>Alle Keys</translation>
    </message>
    <message>
        <source>Query and key by dimension, for every key that the query sees</source>
        <translation>Query und Key nach Dimension, für jeden Key, den die Query sieht</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Which tokens of the prompt the attention depends on</source>
        <translation>Von welchen Tokens des Prompts die Aufmerksamkeit abhängt</translation>
    </message>
    <message>
        <source>Reading … %1</source>
        <translation>Lesen … %1</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>Lesen …</translation>
    </message>
    <message>
        <source>key</source>
        <translation>Key</translation>
    </message>
    <message>
        <source>dimension</source>
        <translation>Dimension</translation>
    </message>
    <message>
        <source>adds</source>
        <translation>Beitrag</translation>
    </message>
</context>
<context>
    <name>headscope::ui::Document</name>
    <message>
        <source>Ran prompt B</source>
        <translation>Prompt B gelaufen</translation>
    </message>
    <message>
        <source>Effect of ablating %1</source>
        <translation>Wirkung der Ablation von %1</translation>
    </message>
    <message>
        <source>All heads of this network were removed; there is no attention to look at.</source>
        <translation>Alle Köpfe dieses Netzes wurden entfernt; es gibt keine Aufmerksamkeit zu sehen.</translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation>%1 geöffnet</translation>
    </message>
    <message>
        <source>Ran the prompt</source>
        <translation>Prompt gelaufen</translation>
    </message>
    <message>
        <source>%1 with %2 ablated</source>
        <translation>%1, ablatiert: %2</translation>
    </message>
    <message>
        <source>Tested labels</source>
        <translation>Labels geprüft</translation>
    </message>
    <message>
        <source>Labels are tested on what their types are defined by: choose “Types from Repeats and Sentences”.</source>
        <translation>Labels werden dort geprüft, wo ihre Typen definiert sind: Wählen Sie „Typen aus Wiederholungen und Sätzen“.</translation>
    </message>
    <message>
        <source>The types are still being measured.</source>
        <translation>Die Typen werden noch gemessen.</translation>
    </message>
    <message>
        <source>The model does not run, so no head can be ablated.</source>
        <translation>Das Modell läuft nicht, also kann kein Kopf ablatiert werden.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::EffectPanel</name>
    <message>
        <source>the loss on the second copy</source>
        <translation>der Loss auf der zweiten Kopie</translation>
    </message>
    <message>
        <source>the logit of the name that comes twice, less that of the other,</source>
        <translation>das Logit des doppelten Namens, minus das des anderen,</translation>
    </message>
    <message>
        <source>the loss</source>
        <translation>der Loss</translation>
    </message>
    <message>
        <source>the prediction (KL from the whole model)</source>
        <translation>die Vorhersage (KL vom ganzen Modell)</translation>
    </message>
    <message>
        <source>; this is more than for %1 of %2 other heads near it.</source>
        <translation>; das ist mehr als bei %1 von %2 anderen Köpfen in der Nähe.</translation>
    </message>
    <message>
        <source>For the others: %1 to %2.</source>
        <translation>Bei den anderen: %1 bis %2.</translation>
    </message>
    <message>
        <source>Ablates the head on the sequences that its types were measured on, and compares it with ten other heads near it (Ctrl+T)</source>
        <translation>Ablatiert den Kopf auf den Sequenzen, auf denen seine Typen gemessen wurden, und vergleicht ihn mit zehn anderen Köpfen in der Nähe (Strg+T)</translation>
    </message>
    <message>
        <source>Testing …</source>
        <translation>Testen …</translation>
    </message>
    <message>
        <source>Effect of ablating %1</source>
        <translation>Wirkung der Ablation von %1</translation>
    </message>
    <message>
        <source>zero with all patterns kept</source>
        <translation>Null bei unveränderten Mustern</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>Null</translation>
    </message>
    <message>
        <source>its mean</source>
        <translation>ihren Mittelwert</translation>
    </message>
    <message>
        <source>its output on another sequence</source>
        <translation>die Ausgabe auf einer anderen Sequenz</translation>
    </message>
    <message>
        <source>With its output replaced by %1, %2 changes by %3 nats</source>
        <translation>Wird seine Ausgabe durch %1 ersetzt, ändert sich %2 um %3 nats</translation>
    </message>
    <message>
        <source> (95 % %1 to %2, %3 sequences)</source>
        <translation> (95 % %1 bis %2, %3 Sequenzen)</translation>
    </message>
    <message>
        <source>; the model does better here without it.</source>
        <translation>; das Modell ist hier ohne ihn besser.</translation>
    </message>
    <message>
        <source>; less than %1 nats is not counted.</source>
        <translation>; weniger als %1 nats zählt nicht.</translation>
    </message>
    <message>
        <source>; a single sequence does not say how far that holds.</source>
        <translation>; eine einzelne Sequenz sagt nicht, wie weit das gilt.</translation>
    </message>
    <message>
        <source>; these sequences do not say whether that is more than %1 nats.</source>
        <translation>; diese Sequenzen sagen nicht, ob das mehr als %1 nats ist.</translation>
    </message>
    <message>
        <source>by %1 %2 nats</source>
        <translation>durch %1 %2 nats</translation>
    </message>
    <message>
        <source>The sign depends on what replaces it: %1.</source>
        <translation>Das Vorzeichen hängt davon ab, was sie ersetzt: %1.</translation>
    </message>
    <message>
        <source>This depends on what replaces it: %1.</source>
        <translation>Das hängt davon ab, was sie ersetzt: %1.</translation>
    </message>
    <message>
        <source>%1 (%2 nats)</source>
        <translation>%1 (%2 nats)</translation>
    </message>
    <message>
        <source>Backed up by %1, which cost more when it is ablated.</source>
        <translation>Ersetzbar durch %1: Ihre Ablation kostet mehr, wenn er ablatiert ist.</translation>
    </message>
    <message>
        <source>Least effect</source>
        <translation>Kleinste Wirkung</translation>
    </message>
    <message>
        <source>Effects of fewer nats do not count. As usual: the larger of 0.01 and 1 % of what the whole model has</source>
        <translation>Wirkungen von weniger nats zählen nicht. Wie üblich: der größere Wert von 0,01 und 1 % dessen, was das ganze Modell hat</translation>
    </message>
    <message>
        <source>from </source>
        <translation>ab </translation>
    </message>
    <message>
        <source> nats</source>
        <translation> nats</translation>
    </message>
    <message>
        <source>least effect: as usual</source>
        <translation>ab: wie üblich</translation>
    </message>
    <message>
        <source>Find its backups</source>
        <translation>Ersatz suchen</translation>
    </message>
    <message>
        <source>Also names the heads that cost more when this one is ablated. It takes two runs more for each head of its layer and of later ones</source>
        <translation>Nennt auch die Köpfe, die mehr kosten, wenn dieser ablatiert ist. Das braucht zwei Läufe mehr für jeden Kopf seiner Schicht und späterer Schichten</translation>
    </message>
    <message>
        <source>; this is more than for %1 of %2 other heads near it, but not clearly more than for three in four of them.</source>
        <translation>; das ist mehr als bei %1 von %2 anderen Köpfen in der Nähe, aber nicht deutlich mehr als bei drei Vierteln von ihnen.</translation>
    </message>
    <message>
        <source>Backups were not looked for: that takes two sequences or more, and another head in its layer or a later one.</source>
        <translation>Nach Ersatz wurde nicht gesucht: Das braucht mindestens zwei Sequenzen und einen weiteren Kopf in seiner Schicht oder einer späteren.</translation>
    </message>
    <message>
        <source>No backup found: none of %1 heads in its layer and later ones surely costs more when it is ablated.</source>
        <translation>Kein Ersatz gefunden: Keiner von %1 Köpfen seiner Schicht und späterer Schichten kostet sicher mehr, wenn er ablatiert ist.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ExampleModel</name>
    <message>
        <source>decile %1</source>
        <translation>Dezil %1</translation>
    </message>
    <message>
        <source>%1 from %2 to %3</source>
        <translation>%1 von %2 bis %3</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ExampleReading</name>
    <message>
        <source>Scanned %1 for examples</source>
        <translation>%1 nach Beispielen durchsucht</translation>
    </message>
    <message>
        <source>%1, of %2</source>
        <translation>%1, aus %2</translation>
    </message>
    <message>
        <source>These examples come from a folder; no command reads it.</source>
        <translation>Diese Beispiele kommen aus einem Ordner; kein Befehl liest ihn.</translation>
    </message>
    <message>
        <source>No text is scanned to its end yet.</source>
        <translation>Noch ist kein Text bis zum Ende durchsucht.</translation>
    </message>
    <message>
        <source>A pasted text is no file that a command could read; save it and choose the file.</source>
        <translation>Ein eingefügter Text ist keine Datei, die ein Befehl lesen könnte; speichern Sie ihn und wählen Sie die Datei.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ExampleWindow</name>
    <message>
        <source>From every tenth</source>
        <translation>Aus jedem Zehntel</translation>
    </message>
    <message>
        <source>Strongest</source>
        <translation>Stärkste</translation>
    </message>
    <message>
        <source>Around the median</source>
        <translation>Um den Median</translation>
    </message>
    <message>
        <source>Drawn at random</source>
        <translation>Zufällig gezogen</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>&amp;Text</source>
        <translation>&amp;Text</translation>
    </message>
    <message>
        <source>The text in which examples are looked for</source>
        <translation>Der Text, in dem Beispiele gesucht werden</translation>
    </message>
    <message>
        <source>pasted text</source>
        <translation>eingefügter Text</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Tokens</translation>
    </message>
    <message>
        <source>The text is cut into sequences of this length, BOS included</source>
        <translation>Der Text wird in Sequenzen dieser Länge geschnitten, BOS eingeschlossen</translation>
    </message>
    <message>
        <source>&amp;Scan</source>
        <translation>&amp;Suchen</translation>
    </message>
    <message>
        <source>Runs the text once and keeps for every head where it looks most strongly</source>
        <translation>Lässt den Text einmal laufen und merkt sich für jeden Kopf, wohin er am stärksten schaut</translation>
    </message>
    <message>
        <source>Open a &amp;Folder …</source>
        <translation>&amp;Ordner öffnen …</translation>
    </message>
    <message>
        <source>Shows the examples of a folder that HeadVis wrote, or headscope-cli heads --headvis</source>
        <translation>Zeigt die Beispiele eines Ordners, den HeadVis oder headscope-cli heads --headvis geschrieben hat</translation>
    </message>
    <message>
        <source>Se&amp;quences of</source>
        <translation>Se&amp;quenzen von</translation>
    </message>
    <message>
        <source>Sequences are sorted by the largest weight in them; the strongest alone show one side of a head</source>
        <translation>Sequenzen sind nach ihrem größten Gewicht sortiert; die stärksten allein zeigen nur eine Seite eines Kopfs</translation>
    </message>
    <message>
        <source>&amp;Effect on the Next Token</source>
        <translation>&amp;Wirkung auf das nächste Token</translation>
    </message>
    <message>
        <source>Ablates the head alone in each example that is shown, and says what that does to the loss of the token after the query</source>
        <translation>Ablatiert in jedem gezeigten Beispiel den Kopf allein und sagt, was das mit dem Loss des Tokens hinter der Query macht</translation>
    </message>
    <message>
        <source>Largest weights of the sequences</source>
        <translation>Größte Gewichte der Sequenzen</translation>
    </message>
    <message>
        <source>S&amp;how</source>
        <translation>&amp;Zeigen</translation>
    </message>
    <message>
        <source>Examples of the selected head</source>
        <translation>Beispiele des gewählten Kopfs</translation>
    </message>
    <message>
        <source>Double-click or press Return to open an example as the prompt</source>
        <translation>Doppelklick oder Eingabetaste öffnet ein Beispiel als Prompt</translation>
    </message>
    <message>
        <source>Scanning</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Effects</source>
        <translation>Wirkungen</translation>
    </message>
    <message>
        <source>&amp;Copy Example</source>
        <translation>Beispiel &amp;kopieren</translation>
    </message>
    <message>
        <source>Puts the chosen example on the clipboard as text (Ctrl+C)</source>
        <translation>Legt das gewählte Beispiel als Text in die Zwischenablage (Strg+C)</translation>
    </message>
    <message>
        <source>E&amp;xport …</source>
        <translation>&amp;Exportieren …</translation>
    </message>
    <message>
        <source>Writes these examples to .csv, .json or .h5</source>
        <translation>Schreibt diese Beispiele als .csv, .json oder .h5</translation>
    </message>
    <message>
        <source>C&amp;lose</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Where in a text does each head look most strongly, and where hardly at all? The text is run once for all heads.</source>
        <translation>Wo in einem Text schaut jeder Kopf am stärksten hin, und wo kaum? Der Text läuft einmal für alle Köpfe.</translation>
    </message>
    <message>
        <source>%1; stopped before its end: Scan goes on from there.</source>
        <translation>%1; vor dem Ende angehalten: „Suchen“ macht dort weiter.</translation>
    </message>
    <message>
        <source>on average %1 tokens back, entropy %2 nats, itself %3, the token before %4</source>
        <translation>im Mittel %1 Tokens zurück, Entropie %2 nats, auf sich %3, das Token davor %4</translation>
    </message>
    <message>
        <source>no next token</source>
        <translation>kein nächstes Token</translation>
    </message>
    <message>
        <source>next %1: %2%3 nats when ablated (%4)</source>
        <translation>nächstes %1: %2%3 nats bei Ablation (%4)</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Numbers of %1</source>
        <translation>Zahlen von %1</translation>
    </message>
    <message>
        <source>Numbers of layer %1</source>
        <translation>Zahlen von Schicht %1</translation>
    </message>
    <message>
        <source>Numbers of all heads</source>
        <translation>Zahlen aller Köpfe</translation>
    </message>
    <message>
        <source>Table of types and scores</source>
        <translation>Tabelle der Typen und Scores</translation>
    </message>
    <message>
        <source>Parts of the score, all pairs</source>
        <translation>Teile des Scores, alle Paare</translation>
    </message>
    <message>
        <source>Graph of why, as numbers</source>
        <translation>Graph des Warum, als Zahlen</translation>
    </message>
    <message>
        <source>&amp;Browse …</source>
        <translation>&amp;Durchsuchen …</translation>
    </message>
    <message>
        <source>Text with %1</source>
        <translation>Text mit %1</translation>
    </message>
    <message>
        <source>Lines of %1</source>
        <translation>Linien von %1</translation>
    </message>
    <message>
        <source>Graph of why %1 looks there</source>
        <translation>Graph, warum %1 dorthin schaut</translation>
    </message>
    <message>
        <source>Picture of %1</source>
        <translation>Bild von %1</translation>
    </message>
    <message>
        <source>&amp;What</source>
        <translation>&amp;Was</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>F&amp;ile</source>
        <translation>Da&amp;tei</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>&amp;Exportieren</translation>
    </message>
    <message>
        <source>%1 exists and will be replaced.</source>
        <translation>%1 existiert und wird ersetzt.</translation>
    </message>
    <message>
        <source>%1 should end in %2.</source>
        <translation>%1 sollte auf %2 enden.</translation>
    </message>
    <message>
        <source> or </source>
        <translation> oder </translation>
    </message>
    <message>
        <source>Writing …</source>
        <translation>Schreiben …</translation>
    </message>
    <message>
        <source>Steps inside the head, a row for each key</source>
        <translation>Schritte im Kopf, eine Zeile für jeden Key</translation>
    </message>
    <message>
        <source>Picture of the steps inside %1</source>
        <translation>Bild der Schritte in %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::GridColouring</name>
    <message>
        <source>types</source>
        <translation>Typen</translation>
    </message>
    <message>
        <source>What colours the heads</source>
        <translation>Was die Köpfe färbt</translation>
    </message>
    <message>
        <source>Colours each head by its types, or by one score from 0 to 1</source>
        <translation>Färbt jeden Kopf nach seinen Typen oder nach einem Score von 0 bis 1</translation>
    </message>
    <message>
        <source>&amp;Colour by</source>
        <translation>&amp;Farbe nach</translation>
    </message>
    <message>
        <source>&amp;Sort</source>
        <translation>&amp;Sortieren</translation>
    </message>
    <message>
        <source>Orders the heads of each layer by this score, the highest first</source>
        <translation>Ordnet die Köpfe jeder Schicht nach diesem Score, der höchste zuerst</translation>
    </message>
    <message>
        <source>Orders the heads of each layer by a score: choose one to colour by</source>
        <translation>Ordnet die Köpfe jeder Schicht nach einem Score: Wählen Sie einen zum Färben</translation>
    </message>
</context>
<context>
    <name>headscope::ui::GroupingPage</name>
    <message>
        <source>Nothing is measured here yet.</source>
        <translation>Hier ist noch nichts gemessen.</translation>
    </message>
    <message>
        <source>Measure Sharin&amp;g</source>
        <translation>Tei&amp;len messen</translation>
    </message>
    <message>
        <source>Pools the keys and values of neighbouring heads in every way, and measures the loss on the test text</source>
        <translation>Legt Keys und Values benachbarter Köpfe auf jede Weise zusammen und misst den Loss auf dem Testtext</translation>
    </message>
    <message>
        <source>Losses with shared keys and values</source>
        <translation>Losses mit geteilten Keys und Values</translation>
    </message>
    <message>
        <source>Open a model to share its keys and values.</source>
        <translation>Öffnen Sie ein Modell, um seine Keys und Values zu teilen.</translation>
    </message>
    <message>
        <source>Reading the texts …</source>
        <translation>Texte werden gelesen …</translation>
    </message>
    <message>
        <source>Measuring …</source>
        <translation>Messen …</translation>
    </message>
    <message>
        <source>What would grouped queries cost before any training? Keys and values of neighbouring heads become one pair, by their mean and by least squares on the calibration text.</source>
        <translation>Was würden gruppierte Queries kosten, vor jedem Training? Keys und Values benachbarter Köpfe werden zu einem Paar, durch ihr Mittel und durch kleinste Quadrate auf dem Kalibrierungstext.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::HeadCard</name>
    <message>
        <source>no type</source>
        <translation>kein Typ</translation>
    </message>
    <message>
        <source>no type; nearest is %1, with %2 where %3 is needed</source>
        <translation>kein Typ; am nächsten kommt %1, mit %2, wo %3 nötig ist</translation>
    </message>
    <message>
        <source>The keys that take most of the attention of this query: the locked row or, without one, the last token</source>
        <translation>Die Keys, die von dieser Query die meiste Aufmerksamkeit bekommen: der festgehaltenen Zeile oder sonst des letzten Tokens</translation>
    </message>
    <message>
        <source>No head is selected.</source>
        <translation>Kein Kopf ist gewählt.</translation>
    </message>
    <message>
        <source>ablated</source>
        <translation>ablatiert</translation>
    </message>
    <message>
        <source>its types are not read yet</source>
        <translation>seine Typen sind noch nicht gelesen</translation>
    </message>
    <message>
        <source>its types cannot be read</source>
        <translation>seine Typen lassen sich nicht lesen</translation>
    </message>
    <message>
        <source>one text gives scores, and no type</source>
        <translation>ein einziger Text ergibt Scores, aber keinen Typ</translation>
    </message>
</context>
<context>
    <name>headscope::ui::HeadGraph</name>
    <message>
        <source>%1 connections</source>
        <translation>%1 Verbindungen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::HeadGridView</name>
    <message>
        <source>Heads &amp;by</source>
        <translation>Köpf&amp;e nach</translation>
    </message>
    <message>
        <source>Input that the types are measured on</source>
        <translation>Eingabe, auf der die Typen gemessen werden</translation>
    </message>
    <message>
        <source>repeats and sentences</source>
        <translation>Wiederholungen, Sätze</translation>
    </message>
    <message>
        <source>this prompt</source>
        <translation>dieser Prompt</translation>
    </message>
    <message>
        <source>prompt set</source>
        <translation>Prompt-Set</translation>
    </message>
    <message>
        <source>Grid of heads</source>
        <translation>Raster der Köpfe</translation>
    </message>
    <message>
        <source>No model is open.</source>
        <translation>Kein Modell ist geöffnet.</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>highest first</source>
        <translation>höchster zuerst</translation>
    </message>
    <message>
        <source>Heads are called by what they do in a run, and this model does not run; colour them by what their weights could do.</source>
        <translation>Köpfe heißen nach dem, was sie in einem Lauf tun, und dieses Modell läuft nicht; färben Sie sie nach dem, was ihre Gewichte könnten.</translation>
    </message>
    <message>
        <source>Coloured by %1; only heads of the types chosen above stand out.</source>
        <translation>Gefärbt nach %1; nur Köpfe der oben gewählten Typen treten hervor.</translation>
    </message>
    <message>
        <source>&amp;Copy Types of %1</source>
        <translation>Typen von %1 &amp;kopieren</translation>
    </message>
    <message>
        <source>One text gives scores, and no types: another may say otherwise. Colour the heads by one of the scores.</source>
        <translation>Ein einziger Text ergibt Scores, aber keine Typen: Ein anderer kann etwas anderes sagen. Färben Sie die Köpfe nach einem der Scores.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::HeadMosaic</name>
    <message>
        <source>ablated</source>
        <translation>ablatiert</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>entfernt</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Grid of heads</source>
        <translation>Raster der Köpfe</translation>
    </message>
    <message>
        <source>%1%2. %3</source>
        <translation>%1%2. %3</translation>
    </message>
    <message>
        <source>, ablated</source>
        <translation>, ablatiert</translation>
    </message>
    <message>
        <source>One of %1 that are chosen.</source>
        <translation>Einer von %1 gewählten.</translation>
    </message>
    <message>
        <source>effect of ablating it: %1</source>
        <translation>Wirkung der Ablation: %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::Heatmap</name>
    <message>
        <source>not visible</source>
        <translation>nicht sichtbar</translation>
    </message>
    <message>
        <source>Heatmap</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>%1, %2 rows, %3 columns</source>
        <translation>%1, %2 Zeilen, %3 Spalten</translation>
    </message>
    <message>
        <source>There is no figure to save: the heatmap is empty; run a prompt first.</source>
        <translation>Es gibt keine Abbildung zu speichern: Die Heatmap ist leer; lassen Sie erst einen Prompt laufen.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::HelpDialog</name>
    <message>
        <source>Headscope on one page</source>
        <translation>Headscope auf einer Seite</translation>
    </message>
    <message>
        <source>&lt;p&gt;Each square on the left is one attention head. Its letter says which type of head it is, its colour how clearly. Choose one: the middle shows what each token (row) attends to (columns), the right what the head is, what it reads and writes, and the effect of ablating it.&lt;/p&gt;&lt;p&gt;A type is a label: a measured score that reaches its threshold. Scores are measured on repeated random tokens and sentences, or on your own prompt. With “Edit thresholds” the marks on the bars can be dragged. A hollow square is a label of which it is not known whether the model needs the head; “Test All Labels” finds out.&lt;/p&gt;&lt;p&gt;Every page, result and dialog can be copied as a command of headscope-cli or as Python (“Copy as”, or the keys below): what is pasted gives the very numbers again.&lt;/p&gt;</source>
        <translation>&lt;p&gt;Jedes Quadrat links ist ein Aufmerksamkeitskopf. Sein Buchstabe sagt, von welchem Typ er ist, seine Farbe, wie deutlich. Wählen Sie einen: Die Mitte zeigt, worauf jedes Token (Zeile) achtet (Spalten), die rechte Seite, was der Kopf ist, was er liest und schreibt und welche Wirkung seine Ablation hat.&lt;/p&gt;&lt;p&gt;Ein Typ ist ein Label: ein gemessener Score, der seine Schwelle erreicht. Scores werden auf wiederholten Zufallstokens und Sätzen gemessen oder auf Ihrem eigenen Prompt. Mit „Schwellen ändern“ lassen sich die Marken auf den Balken ziehen. Ein hohles Quadrat ist ein Label, von dem nicht bekannt ist, ob das Modell den Kopf braucht; „Alle Labels prüfen“ findet es heraus.&lt;/p&gt;&lt;p&gt;Jede Seite, jedes Ergebnis und jeder Dialog lässt sich als Befehl für headscope-cli oder als Python kopieren („Kopieren als“ oder die Tasten unten): Was eingefügt wird, ergibt genau dieselben Zahlen.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
</context>
<context>
    <name>headscope::ui::History</name>
    <message>
        <source>%1 does not end in .sh or .py; choose one of these.</source>
        <translation>%1 endet nicht auf .sh oder .py; wählen Sie eine dieser Endungen.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::InsidePage</name>
    <message>
        <source>Query</source>
        <translation>Query</translation>
    </message>
    <message>
        <source>The token that looks; a locked row chooses it, too</source>
        <translation>Das Token, das schaut; auch eine festgehaltene Zeile wählt es</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>Alle Köpfe</translation>
    </message>
    <message>
        <source>Show z of all heads of the layer side by side, as W_O reads them, or that of this head alone</source>
        <translation>z aller Köpfe der Schicht nebeneinander zeigen, wie W_O sie liest, oder nur das dieses Kopfs</translation>
    </message>
    <message>
        <source>What the head computes, step by step</source>
        <translation>Was der Kopf berechnet, Schritt für Schritt</translation>
    </message>
    <message>
        <source>At</source>
        <translation>Bei</translation>
    </message>
    <message>
        <source>Point at a number to read it and how it comes about. Blue is below 0, red above; each kind of vector has a scale of its own.</source>
        <translation>Zeigen Sie auf eine Zahl, um zu lesen, wie sie entsteht. Blau ist unter 0, Rot darüber; jede Art von Vektor hat eine eigene Skala.</translation>
    </message>
    <message>
        <source>The head is being read; try again in a moment.</source>
        <translation>Der Kopf wird noch gelesen; versuchen Sie es gleich noch einmal.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::InsidePicture</name>
    <message>
        <source>Nothing is shown</source>
        <translation>Nichts wird gezeigt</translation>
    </message>
    <message>
        <source>Inside %1 at %2</source>
        <translation>In %1 bei %2</translation>
    </message>
</context>
<context>
    <name>headscope::ui::JobFooter</name>
    <message>
        <source>Compute &amp;Again</source>
        <translation>Neu b&amp;erechnen</translation>
    </message>
    <message>
        <source>Computes what is shown once more, as after Cancel</source>
        <translation>Berechnet noch einmal, was gezeigt wird, etwa nach „Abbrechen“</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreiben</translation>
    </message>
</context>
<context>
    <name>headscope::ui::JobIndicator</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>headscope::ui::LabelTester</name>
    <message>
        <source>The types are not measured yet.</source>
        <translation>Die Typen sind noch nicht gemessen.</translation>
    </message>
    <message>
        <source>%1 has no label.</source>
        <translation>%1 hat kein Label.</translation>
    </message>
    <message>
        <source>No head has a label.</source>
        <translation>Kein Kopf hat ein Label.</translation>
    </message>
    <message>
        <source>All labels are tested.</source>
        <translation>Alle Labels sind geprüft.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::LabelsPage</name>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Word</source>
        <translation>Wort</translation>
    </message>
    <message>
        <source>What all grades of a label say together</source>
        <translation>Was alle Noten eines Labels zusammen sagen</translation>
    </message>
    <message>
        <source>Labels of all heads</source>
        <translation>Labels aller Köpfe</translation>
    </message>
    <message>
        <source>No head has a label.</source>
        <translation>Kein Kopf hat ein Label.</translation>
    </message>
    <message>
        <source>Testing …</source>
        <translation>Prüfen …</translation>
    </message>
    <message>
        <source>Test All Labels</source>
        <translation>Alle Labels prüfen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::LensPage</name>
    <message>
        <source>The logit lens appears here when it has been read.</source>
        <translation>Die Logit-Linse erscheint hier, wenn sie gelesen ist.</translation>
    </message>
    <message>
        <source>Best token by position and depth</source>
        <translation>Bestes Token nach Position und Tiefe</translation>
    </message>
    <message>
        <source>The token that the network would predict if it ended at this depth, brighter the more probable; a click chooses the position</source>
        <translation>Das Token, das das Netz vorhersagen würde, wenn es in dieser Tiefe endete, heller je wahrscheinlicher; ein Klick wählt die Position</translation>
    </message>
    <message>
        <source>Probability and rank of the token by depth</source>
        <translation>Wahrscheinlichkeit und Rang des Tokens nach Tiefe</translation>
    </message>
    <message>
        <source>What the network would predict if it ended at each depth, read by its own final norm and unembedding.</source>
        <translation>Was das Netz vorhersagen würde, wenn es in jeder Tiefe endete, gelesen mit seiner eigenen letzten Norm und seinem Unembedding.</translation>
    </message>
    <message>
        <source>Probability and rank of %1 at %2 %3</source>
        <translation>Wahrscheinlichkeit und Rang von %1 bei %2 %3</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::LensTable</name>
    <message>
        <source>embedding</source>
        <translation>Embedding</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>KL from the model&apos;s own prediction %1 nats&lt;br&gt;entropy %2 nats</source>
        <translation>KL von der Vorhersage des Modells %1 nats&lt;br&gt;Entropie %2 nats</translation>
    </message>
    <message>
        <source>What the embedding alone would predict</source>
        <translation>Was das Embedding allein vorhersagen würde</translation>
    </message>
    <message>
        <source>What the network would predict if it ended with layer %1</source>
        <translation>Was das Netz vorhersagen würde, wenn es mit Schicht %1 endete</translation>
    </message>
</context>
<context>
    <name>headscope::ui::LessonBar</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Close Lesson</source>
        <translation>Lektion schließen</translation>
    </message>
    <message>
        <source>The sample model %1, which this lesson is about, is not installed beside the program.</source>
        <translation>Das Beispielmodell %1, von dem diese Lektion handelt, ist nicht neben dem Programm installiert.</translation>
    </message>
    <message>
        <source>Lesson: %1</source>
        <translation>Lektion: %1</translation>
    </message>
    <message>
        <source>%1, step %2 of %3</source>
        <translation>%1, Schritt %2 von %3</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
</context>
<context>
    <name>headscope::ui::MainWindow</name>
    <message>
        <source>Headscope</source>
        <translation>Headscope</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1, square matrices transposed — Headscope</source>
        <translation>%1, quadratische Matrizen transponiert — Headscope</translation>
    </message>
    <message>
        <source>%1 — Headscope</source>
        <translation>%1 — Headscope</translation>
    </message>
    <message>
        <source>Opened %1: %2, %3 tensors used, %4 ignored.</source>
        <translation>%1 geöffnet: %2, %3 Tensoren benutzt, %4 ignoriert.</translation>
    </message>
    <message>
        <source>Its %1 square matrices are read transposed; if attention is noise now, they were right before (View &gt; Read Square Matrices Transposed).</source>
        <translation>Seine %1 quadratischen Matrizen werden transponiert gelesen; ist die Aufmerksamkeit jetzt Rauschen, waren sie vorher richtig (Ansicht &gt; Quadratische Matrizen transponiert lesen).</translation>
    </message>
    <message>
        <source>&amp;Load Report</source>
        <translation>&amp;Ladebericht</translation>
    </message>
    <message>
        <source>Patterns</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 gespeichert.</translation>
    </message>
    <message>
        <source>&amp;Open It</source>
        <translation>&amp;Öffnen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::MessageBar</name>
    <message>
        <source>Close this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>Close message</source>
        <translation>Meldung schließen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ModelDialog</name>
    <message>
        <source>Model %1</source>
        <translation>Modell %1</translation>
    </message>
    <message>
        <source>Model &amp;card</source>
        <translation>Modell&amp;karte</translation>
    </message>
    <message>
        <source>Load &amp;report</source>
        <translation>Lade&amp;bericht</translation>
    </message>
</context>
<context>
    <name>headscope::ui::NoteBook</name>
    <message>
        <source>It is kept as a .bak when you write a note.</source>
        <translation>Sie bleibt als .bak erhalten, wenn Sie eine Notiz schreiben.</translation>
    </message>
    <message>
        <source>Your notes on this model cannot be kept: %1 cannot be written. Save a project elsewhere, which holds them, too.</source>
        <translation>Ihre Notizen zu diesem Modell können nicht aufbewahrt werden: In %1 kann nicht geschrieben werden. Speichern Sie anderswo ein Projekt, das sie auch enthält.</translation>
    </message>
    <message>
        <source>The notes on this model could not be read; they are kept in %1.</source>
        <translation>Die Notizen zu diesem Modell konnten nicht gelesen werden; sie sind in %1 aufbewahrt.</translation>
    </message>
    <message>
        <source>The notes on this model can neither be read nor kept: %1.</source>
        <translation>Die Notizen zu diesem Modell können weder gelesen noch aufbewahrt werden: %1.</translation>
    </message>
    <message>
        <source>The notes there stay as they are; new ones go to %1.</source>
        <translation>Die Notizen dort bleiben, wie sie sind; neue kommen nach %1.</translation>
    </message>
    <message>
        <source>The notes of the project were not added: %1</source>
        <translation>Die Notizen des Projekts wurden nicht übernommen: %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::NoteLine</name>
    <message>
        <source>Bookmark</source>
        <translation>Merken</translation>
    </message>
    <message>
        <source>Bookmarks this head (Ctrl+K); Head &gt; Bookmarked Heads leads back</source>
        <translation>Merkt sich diesen Kopf (Strg+K); Kopf &gt; Gemerkte Köpfe führt zurück</translation>
    </message>
    <message>
        <source>Note on this head</source>
        <translation>Notiz zu diesem Kopf</translation>
    </message>
    <message>
        <source>Kept for this model, and saved with projects</source>
        <translation>Wird für dieses Modell aufgehoben und mit Projekten gespeichert</translation>
    </message>
    <message>
        <source>The project bookmarks this head.</source>
        <translation>Das Projekt hat diesen Kopf gemerkt.</translation>
    </message>
    <message>
        <source>In the project: %1</source>
        <translation>Im Projekt: %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::OrdersPanel</name>
    <message>
        <source>How many random orders are drawn</source>
        <translation>Wie viele zufällige Reihenfolgen gezogen werden</translation>
    </message>
    <message>
        <source>C&amp;hoose …</source>
        <translation>W&amp;ählen …</translation>
    </message>
    <message>
        <source>A text file with heads such as 4.1, in the order in which they go</source>
        <translation>Eine Textdatei mit Köpfen wie 4.1, in der Reihenfolge, in der sie gehen</translation>
    </message>
    <message>
        <source>Choose the file of your own list, or untick it.</source>
        <translation>Wählen Sie die Datei Ihrer eigenen Liste, oder entfernen Sie den Haken.</translation>
    </message>
    <message>
        <source>Tick at least one order.</source>
        <translation>Haken Sie mindestens eine Reihenfolge an.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::OutlineBox</name>
    <message>
        <source>Outlined type</source>
        <translation>Umrandeter Typ</translation>
    </message>
    <message>
        <source>Show where a head of this type would look: outlines the cells that its score counts</source>
        <translation>Zeigen, wohin ein Kopf dieses Typs schauen würde: umrandet die Zellen, die sein Score zählt</translation>
    </message>
    <message>
        <source>No outline</source>
        <translation>Kein Rahmen</translation>
    </message>
    <message>
        <source>outlined: where a perfect head of the type “%1” would look</source>
        <translation>umrandet: wohin ein perfekter Kopf vom Typ „%1“ schauen würde</translation>
    </message>
    <message>
        <source>Nothing to outline: this prompt has nothing that a head of the type “%1” would look at.</source>
        <translation>Nichts zu umranden: Dieser Prompt hat nichts, worauf ein Kopf vom Typ „%1“ schauen würde.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PageArea</name>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Pages beside</source>
        <translation>Seiten daneben</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PatchDialog</name>
    <message>
        <source>Patch activations between A and B</source>
        <translation>Aktivierungen zwischen A und B patchen</translation>
    </message>
    <message>
        <source>Patching</source>
        <translation>Patchen</translation>
    </message>
    <message>
        <source>Stopped; “Compute Again” patches from the beginning.</source>
        <translation>Angehalten; „Neu berechnen“ patcht von vorn.</translation>
    </message>
    <message>
        <source>What is taken from one prompt and put into the other</source>
        <translation>Was dem einen Prompt entnommen und in den anderen gesetzt wird</translation>
    </message>
    <message>
        <source>What is put in place at a time</source>
        <translation>Was jeweils eingesetzt wird</translation>
    </message>
    <message>
        <source>Layer × position</source>
        <translation>Schicht × Position</translation>
    </message>
    <message>
        <source>Layer × head</source>
        <translation>Schicht × Kopf</translation>
    </message>
    <message>
        <source>From which prompt into which: the second is run again and again with one activation of the first</source>
        <translation>Aus welchem Prompt in welchen: Der zweite läuft immer wieder mit einer Aktivierung des ersten</translation>
    </message>
    <message>
        <source>From A into B</source>
        <translation>Von A in B</translation>
    </message>
    <message>
        <source>From B into A</source>
        <translation>Von B in A</translation>
    </message>
    <message>
        <source>What is measured in the logits</source>
        <translation>Was an den Logits gemessen wird</translation>
    </message>
    <message>
        <source>Logit difference</source>
        <translation>Logit-Differenz</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>KL divergence</source>
        <translation>KL-Divergenz</translation>
    </message>
    <message>
        <source>The token in question: one that is predicted, or type any and press Return</source>
        <translation>Das fragliche Token: eines, das vorhergesagt wird, oder ein beliebiges eintippen und Eingabetaste drücken</translation>
    </message>
    <message>
        <source>The token whose logit is subtracted</source>
        <translation>Das Token, dessen Logit abgezogen wird</translation>
    </message>
    <message>
        <source>Exact: one run for each cell. By gradient: all cells estimated to first order by one backward pass (attribution patching).</source>
        <translation>Exakt: ein Lauf für jede Zelle. Nach Gradient: alle Zellen in erster Ordnung durch einen Rückwärtslauf geschätzt (Attribution Patching).</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>Exakt</translation>
    </message>
    <message>
        <source>By gradient</source>
        <translation>Nach Gradient</translation>
    </message>
    <message>
        <source>most probable</source>
        <translation>wahrscheinlichstes</translation>
    </message>
    <message>
        <source>&amp;Patch</source>
        <translation>&amp;Patche</translation>
    </message>
    <message>
        <source>&amp;by</source>
        <translation>&amp;nach</translation>
    </message>
    <message>
        <source>&amp;Measure</source>
        <translation>&amp;Maß</translation>
    </message>
    <message>
        <source>&amp;of</source>
        <translation>&amp;von</translation>
    </message>
    <message>
        <source>mi&amp;nus</source>
        <translation>min&amp;us</translation>
    </message>
    <message>
        <source>Me&amp;thod</source>
        <translation>Me&amp;thode</translation>
    </message>
    <message>
        <source>Share of the way that each patch restores</source>
        <translation>Anteil des Wegs, den jeder Patch wiederherstellt</translation>
    </message>
    <message>
        <source>Export &amp;Figure …</source>
        <translation>A&amp;bbildung exportieren …</translation>
    </message>
    <message>
        <source>Export N&amp;umbers …</source>
        <translation>&amp;Zahlen exportieren …</translation>
    </message>
    <message>
        <source>Patching …</source>
        <translation>Patchen …</translation>
    </message>
    <message>
        <source>There is nothing to repeat yet.</source>
        <translation>Noch gibt es nichts zu wiederholen.</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>share of the way</source>
        <translation>Anteil des Wegs</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>A “%1” · B “%2” · no head ablated · %3</source>
        <translation>A „%1“ · B „%2“ · kein Kopf ablatiert · %3</translation>
    </message>
    <message>
        <source>Point at a cell to read it; a click locks the row of its token.</source>
        <translation>Zeigen Sie auf eine Zelle, um sie zu lesen; ein Klick hält die Zeile ihres Tokens fest.</translation>
    </message>
    <message>
        <source>Point at a cell to read it; a click selects the head.</source>
        <translation>Zeigen Sie auf eine Zelle, um sie zu lesen; ein Klick wählt den Kopf.</translation>
    </message>
    <message>
        <source>%1: %2 in %3 (0), %4 in %5 (1)%6. No head is ablated.</source>
        <translation>%1: %2 in %3 (0), %4 in %5 (1)%6. Kein Kopf ist ablatiert.</translation>
    </message>
    <message>
        <source>; estimated by gradient</source>
        <translation>; nach Gradient geschätzt</translation>
    </message>
    <message>
        <source>SVG (*.svg);;PDF (*.pdf);;PNG (*.png)</source>
        <translation>SVG (*.svg);;PDF (*.pdf);;PNG (*.png)</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PatternControls</name>
    <message>
        <source>Reset zoom</source>
        <translation>Zoom zurück</translation>
    </message>
    <message>
        <source>Show the whole pattern (double click, or 0)</source>
        <translation>Das ganze Muster zeigen (Doppelklick oder 0)</translation>
    </message>
    <message>
        <source>Heatmap</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>The pattern of the selected head</source>
        <translation>Das Muster des gewählten Kopfs</translation>
    </message>
    <message>
        <source>All heads</source>
        <translation>Alle Köpfe</translation>
    </message>
    <message>
        <source>The patterns of all heads side by side</source>
        <translation>Die Muster aller Köpfe nebeneinander</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>The prompt as text, tinted by where the chosen heads look</source>
        <translation>Der Prompt als Text, getönt danach, wohin die gewählten Köpfe schauen</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>Linien</translation>
    </message>
    <message>
        <source>Lines from each token to those that the chosen heads look at</source>
        <translation>Linien von jedem Token zu denen, auf die die gewählten Köpfe schauen</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Why the selected head looks from one token to another, and where that came from</source>
        <translation>Warum der gewählte Kopf von einem Token auf ein anderes schaut, und woher das kam</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>Liest</translation>
    </message>
    <message>
        <source>Tint the tokens that the token under the pointer looks at</source>
        <translation>Die Tokens tönen, auf die das Token unter dem Zeiger schaut</translation>
    </message>
    <message>
        <source>Read by</source>
        <translation>Gelesen von</translation>
    </message>
    <message>
        <source>Tint the tokens that look at the token under the pointer</source>
        <translation>Die Tokens tönen, die auf das Token unter dem Zeiger schauen</translation>
    </message>
    <message>
        <source>Show the prompt above (Ctrl+B for the next)</source>
        <translation>Den Prompt oben zeigen (Strg+B: nächstes)</translation>
    </message>
    <message>
        <source>Show what it is compared with (Ctrl+B for the next)</source>
        <translation>Zeigen, womit er verglichen wird (Strg+B: nächstes)</translation>
    </message>
    <message>
        <source>Show B less A at the tokens of A (Ctrl+B for the next)</source>
        <translation>B minus A an den Tokens von A zeigen (Strg+B: nächstes)</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>Attention: where the head looks, A[q, k]. Value-weighted: what reaches the query from each key, A[q, k]·‖v_k W_O‖ (Kobayashi et al. 2020), each row divided by its sum; a key with a small value fades. Difference: attention with the ablated heads less attention of the whole model.</source>
        <translation>Aufmerksamkeit: wohin der Kopf schaut, A[q, k]. Value-gewichtet: was von jedem Key bei der Query ankommt, A[q, k]·‖v_k W_O‖ (Kobayashi et al. 2020), jede Zeile durch ihre Summe geteilt; ein Key mit kleinem Value verblasst. Differenz: Aufmerksamkeit mit den ablatierten Köpfen minus Aufmerksamkeit des ganzen Modells.</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Colours of the weights</source>
        <translation>Farben der Gewichte</translation>
    </message>
    <message>
        <source>Hide first key</source>
        <translation>Ohne ersten Key</translation>
    </message>
    <message>
        <source>First key</source>
        <translation>Erster Key</translation>
    </message>
    <message>
        <source>Hide It &amp;Where It Holds More Than Half</source>
        <translation>Ausblenden, &amp;wo er mehr als die Hälfte hält</translation>
    </message>
    <message>
        <source>&amp;Hide It</source>
        <translation>&amp;Ausblenden</translation>
    </message>
    <message>
        <source>&amp;Show It</source>
        <translation>&amp;Zeigen</translation>
    </message>
    <message>
        <source>&amp;Rescale Rows to What Is Left</source>
        <translation>Zeilen auf ihren &amp;Rest skalieren</translation>
    </message>
    <message>
        <source>Without the first key: each row divided by the sum of what it gives to others</source>
        <translation>Ohne den ersten Key: jede Zeile durch die Summe dessen geteilt, was sie anderen gibt</translation>
    </message>
    <message>
        <source>Colour scale</source>
        <translation>Farbskala</translation>
    </message>
    <message>
        <source>&amp;Automatic: Finer Without the First Key</source>
        <translation>A&amp;utomatisch: feiner ohne den ersten Key</translation>
    </message>
    <message>
        <source>&amp;Linear</source>
        <translation>&amp;Linear</translation>
    </message>
    <message>
        <source>S&amp;quare Root</source>
        <translation>&amp;Quadratwurzel</translation>
    </message>
    <message>
        <source>Lo&amp;garithmic</source>
        <translation>Lo&amp;garithmisch</translation>
    </message>
    <message>
        <source>&amp;Own Scale</source>
        <translation>&amp;Eigene Skala</translation>
    </message>
    <message>
        <source>Stretch the colours to the largest weight of this head. Off: the same scale 0 to 1 for every head, so that pictures can be compared.</source>
        <translation>Die Farben bis zum größten Gewicht dieses Kopfs strecken. Aus: dieselbe Skala 0 bis 1 für jeden Kopf, sodass sich Bilder vergleichen lassen.</translation>
    </message>
    <message>
        <source>The first key holds %1 of the attention shown, and is %2%3. Click to %4; the arrow offers rescaling and other colour scales.</source>
        <translation>Der erste Key hält %1 der gezeigten Aufmerksamkeit und ist %2%3. Klicken, um ihn %4; der Pfeil bietet Skalieren und andere Farbskalen.</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>ausgeblendet</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>zu sehen</translation>
    </message>
    <message>
        <source> (by itself, as it holds more or less than half)</source>
        <translation> (von selbst, da er mehr oder weniger als die Hälfte hält)</translation>
    </message>
    <message>
        <source>show it</source>
        <translation>zu zeigen</translation>
    </message>
    <message>
        <source>hide it</source>
        <translation>auszublenden</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>Innen</translation>
    </message>
    <message>
        <source>What the selected head computes for one token, step by step, with every number</source>
        <translation>Was der gewählte Kopf für ein Token berechnet, Schritt für Schritt, mit jeder Zahl</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PatternView</name>
    <message>
        <source>Attention pattern</source>
        <translation>Aufmerksamkeitsmuster</translation>
    </message>
    <message>
        <source>Open a model with Ctrl+O, or drop a file here.</source>
        <translation>Öffnen Sie ein Modell mit Strg+O, oder legen Sie eine Datei hier ab.</translation>
    </message>
    <message>
        <source>The pattern appears here when B has run.</source>
        <translation>Das Muster erscheint hier, wenn B gelaufen ist.</translation>
    </message>
    <message>
        <source>The pattern appears here when the prompt has run.</source>
        <translation>Das Muster erscheint hier, wenn der Prompt gelaufen ist.</translation>
    </message>
    <message>
        <source>This model is weights only: see View &gt; Model Card.</source>
        <translation>Dieses Modell besteht nur aus Gewichten: siehe Ansicht &gt; Modellkarte.</translation>
    </message>
    <message>
        <source>square matrices transposed</source>
        <translation>quadratische Matrizen transponiert</translation>
    </message>
    <message>
        <source>Still showing the earlier prompt: “%1”</source>
        <translation>Noch der frühere Prompt: „%1“</translation>
    </message>
    <message>
        <source>No head is ablated, so nothing differs from the whole model.</source>
        <translation>Kein Kopf ist ablatiert, vom ganzen Modell weicht also nichts ab.</translation>
    </message>
    <message>
        <source>A and B are the same: change the prompt, the heads or the model of B.</source>
        <translation>A und B sind gleich: Ändern Sie den Prompt, die Köpfe oder das Modell von B.</translation>
    </message>
    <message>
        <source>Point at a cell to read it, click to keep its row.</source>
        <translation>Zeigen Sie auf eine Zelle, um sie zu lesen; ein Klick hält ihre Zeile fest.</translation>
    </message>
    <message>
        <source>There is no pattern to write yet; run a prompt first.</source>
        <translation>Noch gibt es kein Muster zu schreiben; lassen Sie erst einen Prompt laufen.</translation>
    </message>
    <message>
        <source>Un&amp;lock the Row</source>
        <translation>Zeile &amp;loslassen</translation>
    </message>
    <message>
        <source>&amp;Lock This Row</source>
        <translation>Diese Zeile fest&amp;halten</translation>
    </message>
    <message>
        <source>&amp;Why It Looks There</source>
        <translation>&amp;Warum er dorthin schaut</translation>
    </message>
    <message>
        <source>Running the prompt …</source>
        <translation>Prompt läuft …</translation>
    </message>
    <message>
        <source>Running the prompt: %1</source>
        <translation>Prompt läuft: %1</translation>
    </message>
    <message>
        <source>This page explains A, and not the difference: show B to explain that.</source>
        <translation>Diese Seite erklärt A und nicht den Unterschied; für B zeigen Sie B.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ProjectKeeper</name>
    <message>
        <source>%1, the model of this project, is not at %2 any more.</source>
        <translation>%1, das Modell dieses Projekts, ist nicht mehr unter %2.</translation>
    </message>
    <message>
        <source>Choose where it is now.</source>
        <translation>Wählen Sie, wo es jetzt ist.</translation>
    </message>
    <message>
        <source>%1 is not the file that this project was made with (its SHA-256 differs), so its numbers may differ, too.</source>
        <translation>%1 ist nicht die Datei, mit der dieses Projekt gemacht wurde (ihr SHA-256 ist ein anderer), seine Zahlen können also andere sein.</translation>
    </message>
    <message>
        <source>Saved %1.</source>
        <translation>%1 gespeichert.</translation>
    </message>
    <message>
        <source>Projects of Headscope (*%1)</source>
        <translation>Projekte von Headscope (*%1)</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>%1 is being saved by another window; save it again.</source>
        <translation>%1 wird gerade von einem anderen Fenster gespeichert; speichern Sie noch einmal.</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>A window of Headscope ended before it was closed. What was kept of it cannot be read: %1</source>
        <translation>Ein Fenster von Headscope endete, bevor es geschlossen wurde. Was von ihm aufbewahrt wurde, kann nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>Headscope ended before it was closed. Continue with %1 where you stopped?</source>
        <translation>Headscope endete, bevor es geschlossen wurde. Bei %1 weitermachen, wo Sie aufgehört haben?</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ProjectStrip</name>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 und %2 weitere</translation>
    </message>
    <message>
        <source>Use My Settings</source>
        <translation>Meine Einstellungen verwenden</translation>
    </message>
    <message>
        <source>Goes back to the thresholds, BOS and kind of ablation that were there before the project was opened</source>
        <translation>Kehrt zu den Schwellen, dem BOS und der Art der Ablation zurück, die vor dem Öffnen des Projekts galten</translation>
    </message>
    <message>
        <source>Add to My Notes</source>
        <translation>Zu meinen Notizen</translation>
    </message>
    <message>
        <source>Your own notes stay; where both say something, the project&apos;s text follows yours</source>
        <translation>Ihre eigenen Notizen bleiben; wo beide etwas sagen, folgt der Text des Projekts auf Ihren</translation>
    </message>
    <message>
        <source>thresholds (%1)</source>
        <translation>Schwellen (%1)</translation>
    </message>
    <message>
        <source>BOS</source>
        <translation>BOS</translation>
    </message>
    <message>
        <source>kind of ablation</source>
        <translation>Art der Ablation</translation>
    </message>
    <message>
        <source>It has a note on one head that is not among yours.</source>
        <translation>Es hat eine Notiz zu einem Kopf, die Ihnen fehlt.</translation>
    </message>
    <message>
        <source>It has notes on %1 heads that are not among yours.</source>
        <translation>Es hat Notizen zu %1 Köpfen, die Ihnen fehlen.</translation>
    </message>
    <message>
        <source>What was open is restored.</source>
        <translation>Was geöffnet war, ist wiederhergestellt.</translation>
    </message>
    <message>
        <source>While the project “%1” is open, other settings than yours are used: %2.</source>
        <translation>Solange das Projekt „%1“ geöffnet ist, gelten andere Einstellungen als Ihre: %2.</translation>
    </message>
    <message>
        <source>The project “%1” is open.</source>
        <translation>Das Projekt „%1“ ist geöffnet.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PromptBar</name>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Tokens of the prompt</source>
        <translation>Tokens des Prompts</translation>
    </message>
    <message>
        <source>&amp;Automatic: as it was trained</source>
        <translation>&amp;Automatisch: wie trainiert</translation>
    </message>
    <message>
        <source>Always &amp;with BOS</source>
        <translation>Immer &amp;mit BOS</translation>
    </message>
    <message>
        <source>&amp;Never with BOS</source>
        <translation>&amp;Nie mit BOS</translation>
    </message>
    <message>
        <source>&amp;Prompt</source>
        <translation>&amp;Prompt</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>Erst ein Modell öffnen</translation>
    </message>
    <message>
        <source>Type a prompt</source>
        <translation>Prompt eintippen</translation>
    </message>
    <message>
        <source>Type token ids, such as 1 2 3</source>
        <translation>Token-IDs eintippen, etwa 1 2 3</translation>
    </message>
    <message>
        <source>BOS ✓</source>
        <translation>BOS ✓</translation>
    </message>
    <message>
        <source>BOS ✗</source>
        <translation>BOS ✗</translation>
    </message>
    <message>
        <source>Starts with BOS</source>
        <translation>Beginnt mit BOS</translation>
    </message>
    <message>
        <source>Starts without BOS</source>
        <translation>Beginnt ohne BOS</translation>
    </message>
    <message>
        <source>This model has no BOS token.</source>
        <translation>Dieses Modell hat kein BOS-Token.</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>Zweiter Text</translation>
    </message>
    <message>
        <source>Second text, if there is one</source>
        <translation>Zweiter Text, falls es einen gibt</translation>
    </message>
    <message>
        <source>Separated from the first by %1, as the tokenizer separates two texts; the line over their chips marks the tokens of segment 1</source>
        <translation>Durch %1 vom ersten getrennt, wie der Tokenizer zwei Texte trennt; die Linie über ihren Feldern bezeichnet die Token von Segment 1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PromptSetRun</name>
    <message>
        <source>The prompts have not run yet.</source>
        <translation>Die Prompts sind noch nicht gelaufen.</translation>
    </message>
    <message>
        <source>Ran the prompts of %1</source>
        <translation>Prompts von %1 gelaufen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PromptSetSource</name>
    <message>
        <source>Bundled sentences</source>
        <translation>Mitgelieferte Sätze</translation>
    </message>
    <message>
        <source>Indirect objects, made for this model</source>
        <translation>Indirekte Objekte, für dieses Modell gemacht</translation>
    </message>
    <message>
        <source>Pasted lines</source>
        <translation>Eingefügte Zeilen</translation>
    </message>
    <message>
        <source>A file or pasted lines hold one prompt per line; a line of JSON holds it under “prompt” or “text”</source>
        <translation>Eine Datei oder eingefügte Zeilen enthalten einen Prompt pro Zeile; eine JSON-Zeile enthält ihn unter „prompt“ oder „text“</translation>
    </message>
    <message>
        <source>the pasted lines</source>
        <translation>die eingefügten Zeilen</translation>
    </message>
    <message>
        <source>Paste prompts here, one per line.</source>
        <translation>Fügen Sie hier Prompts ein, einen pro Zeile.</translation>
    </message>
    <message>
        <source>Where the prompts come from</source>
        <translation>Woher die Prompts kommen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PromptSetWindow</name>
    <message>
        <source>Prompt set</source>
        <translation>Prompt-Set</translation>
    </message>
    <message>
        <source>&amp;Prompts</source>
        <translation>&amp;Prompts</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>Sta&amp;rten</translation>
    </message>
    <message>
        <source>Runs every prompt in the whole model, and with the heads ablated that are so in the main window</source>
        <translation>Lässt jeden Prompt im ganzen Modell laufen und mit den Köpfen ablatiert, die es im Hauptfenster sind</translation>
    </message>
    <message>
        <source>Double-click or press Return to open a prompt</source>
        <translation>Doppelklick oder Eingabetaste öffnet einen Prompt</translation>
    </message>
    <message>
        <source>Score of the selected head</source>
        <translation>Score des gewählten Kopfs</translation>
    </message>
    <message>
        <source>What the selected head does in each prompt, as a column to sort by</source>
        <translation>Was der gewählte Kopf in jedem Prompt tut, als Spalte zum Sortieren</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>Prompts</translation>
    </message>
    <message>
        <source>Show in the &amp;Grid</source>
        <translation>Im Ras&amp;ter zeigen</translation>
    </message>
    <message>
        <source>Types in the grid of heads are then the means over these prompts</source>
        <translation>Typen im Raster der Köpfe sind dann die Mittel über diese Prompts</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>Zeilen &amp;kopieren</translation>
    </message>
    <message>
        <source>Puts the selected rows on the clipboard as a table (Ctrl+C)</source>
        <translation>Legt die gewählten Zeilen als Tabelle in die Zwischenablage (Strg+C)</translation>
    </message>
    <message>
        <source>&amp;Export …</source>
        <translation>&amp;Exportieren …</translation>
    </message>
    <message>
        <source>Writes the table with its means to .csv, .json or .h5</source>
        <translation>Schreibt die Tabelle mit ihren Mitteln als .csv, .json oder .h5</translation>
    </message>
    <message>
        <source>C&amp;lose</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Runs many prompts at once: their losses and predictions, what the ablated heads change in each, and the means.</source>
        <translation>Lässt viele Prompts auf einmal laufen: ihre Losses und Vorhersagen, was die ablatierten Köpfe in jedem ändern, und die Mittel.</translation>
    </message>
    <message>
        <source>Other heads are ablated now: run again.</source>
        <translation>Jetzt sind andere Köpfe ablatiert: Starten Sie erneut.</translation>
    </message>
    <message>
        <source>&amp;Score of %1</source>
        <translation>&amp;Score von %1</translation>
    </message>
    <message>
        <source>No prompts were run yet.</source>
        <translation>Noch sind keine Prompts gelaufen.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PromptWriter</name>
    <message>
        <source>The model has not written anything here.</source>
        <translation>Das Modell hat hier nichts geschrieben.</translation>
    </message>
    <message>
        <source>The text ends here: what the model gives next is no text.</source>
        <translation>Der Text endet hier: Was das Modell als Nächstes gibt, ist kein Text.</translation>
    </message>
    <message>
        <source>The model wrote on</source>
        <translation>Weiterschreiben des Modells</translation>
    </message>
    <message>
        <source>As text, what the model wrote is cut into other tokens than it gave.</source>
        <translation>Als Text wird, was das Modell schrieb, in andere Tokens geschnitten, als es gab.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::PruningWindow</name>
    <message>
        <source>Measuring</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Looking for the worst tokens</source>
        <translation>Suche nach den schlechtesten Tokens</translation>
    </message>
    <message>
        <source>Sharing keys and values</source>
        <translation>Teilen von Keys und Values</translation>
    </message>
    <message>
        <source>What Is Left and What It Saves</source>
        <translation>Was bleibt und was es spart</translation>
    </message>
    <message>
        <source>Worst To&amp;kens</source>
        <translation>Schlechteste T&amp;okens</translation>
    </message>
    <message>
        <source>Shared Keys and Values</source>
        <translation>Geteilte Keys und Values</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Stops what runs; what was measured is there when the bench is opened again</source>
        <translation>Hält an, was läuft; was gemessen wurde, ist beim nächsten Öffnen wieder da</translation>
    </message>
    <message>
        <source>%1 points are measured.</source>
        <translation>%1 Punkte sind gemessen.</translation>
    </message>
    <message>
        <source>Measured: %1 points.</source>
        <translation>Gemessen: %1 Punkte.</translation>
    </message>
    <message>
        <source>Stopped after %1 points; “Measure” goes on from there.</source>
        <translation>Nach %1 Punkten angehalten; „Messen“ macht dort weiter.</translation>
    </message>
    <message>
        <source>Prune heads of %1</source>
        <translation>Köpfe von %1 prunen</translation>
    </message>
    <message>
        <source>Prune heads</source>
        <translation>Köpfe prunen</translation>
    </message>
    <message>
        <source>Pruning curves</source>
        <translation>Pruning-Kurven</translation>
    </message>
    <message>
        <source>There are no curves yet.</source>
        <translation>Noch gibt es keine Kurven.</translation>
    </message>
    <message>
        <source>A pasted text is no file that a command could read; save it and choose the file.</source>
        <translation>Ein eingefügter Text ist keine Datei, die ein Befehl lesen könnte; speichern Sie ihn und wählen Sie die Datei.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::RemovalBar</name>
    <message>
        <source>Nothing is measured without a part yet.</source>
        <translation>Noch ist nichts ohne einen Teil gemessen.</translation>
    </message>
    <message>
        <source>&amp;Measure Without It</source>
        <translation>Ohne ihn &amp;messen</translation>
    </message>
    <message>
        <source>Take the chosen part out of what this head reads, only there, and run on: prediction beside measurement, and beside random directions</source>
        <translation>Den gewählten Teil aus dem nehmen, was dieser Kopf liest, nur dort, und weiterlaufen lassen: Vorhersage neben Messung und neben zufälligen Richtungen</translation>
    </message>
    <message>
        <source>Choose a part in a table to take it away.</source>
        <translation>Wählen Sie in einer Tabelle einen Teil, um ihn wegzunehmen.</translation>
    </message>
    <message>
        <source>Measuring …</source>
        <translation>Messen …</translation>
    </message>
    <message>
        <source>Measured without %1</source>
        <translation>Ohne %1 gemessen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::RunningWindow</name>
    <message>
        <source>A dialog waits for its answer.</source>
        <translation>Ein Dialog wartet auf seine Antwort.</translation>
    </message>
    <message>
        <source>There is no action %1.</source>
        <translation>Es gibt keine Aktion %1.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::SaveModelDialog</name>
    <message>
        <source>Save %1 as HDF5</source>
        <translation>%1 als HDF5 speichern</translation>
    </message>
    <message>
        <source>&amp;Browse …</source>
        <translation>&amp;Durchsuchen …</translation>
    </message>
    <message>
        <source>One file with all tensors under their PyTorch names, the config and the tokenizer. Ablated heads are saved whole.</source>
        <translation>Eine Datei mit allen Tensoren unter ihren PyTorch-Namen, der Config und dem Tokenizer. Ablatierte Köpfe werden ganz gespeichert.</translation>
    </message>
    <message>
        <source>&amp;Numbers</source>
        <translation>&amp;Zahlen</translation>
    </message>
    <message>
        <source>F&amp;ile</source>
        <translation>Da&amp;tei</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>float32, as computed with: %1</source>
        <translation>float32, wie gerechnet wird: %1</translation>
    </message>
    <message>
        <source>float16, 11 significant bits: %1</source>
        <translation>float16, 11 gültige Bits: %1</translation>
    </message>
    <message>
        <source>bfloat16, 8 significant bits: %1</source>
        <translation>bfloat16, 8 gültige Bits: %1</translation>
    </message>
    <message>
        <source>%1 exists and will be replaced.</source>
        <translation>%1 existiert und wird ersetzt.</translation>
    </message>
    <message>
        <source>Choose a file first.</source>
        <translation>Wählen Sie erst eine Datei.</translation>
    </message>
    <message>
        <source>HDF5 (*.h5)</source>
        <translation>HDF5 (*.h5)</translation>
    </message>
    <message>
        <source>Writing …</source>
        <translation>Schreiben …</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ScatterPage</name>
    <message>
        <source>Heads by two scores</source>
        <translation>Köpfe nach zwei Scores</translation>
    </message>
    <message>
        <source>Ac&amp;ross</source>
        <translation>&amp;x-Achse</translation>
    </message>
    <message>
        <source>Score along the horizontal axis</source>
        <translation>Score auf der waagerechten Achse</translation>
    </message>
    <message>
        <source>&amp;Up</source>
        <translation>&amp;y-Achse</translation>
    </message>
    <message>
        <source>Score along the vertical axis</source>
        <translation>Score auf der senkrechten Achse</translation>
    </message>
    <message>
        <source>S&amp;wap</source>
        <translation>T&amp;auschen</translation>
    </message>
    <message>
        <source>Puts each score on the other axis</source>
        <translation>Legt jeden Score auf die andere Achse</translation>
    </message>
    <message>
        <source>%1
%2 %3
%4 %5
Types: %6</source>
        <translation>%1
%2 %3
%4 %5
Typen: %6</translation>
    </message>
    <message>
        <source>A dot is a head, lettered and coloured by its first type; dashed lines are the thresholds.</source>
        <translation>Ein Punkt ist ein Kopf, mit Buchstabe und Farbe seines ersten Typs; gestrichelte Linien sind die Schwellen.</translation>
    </message>
    <message>
        <source>Heads left out because a score is not defined: %1.</source>
        <translation>Köpfe, die fehlen, weil ein Score nicht definiert ist: %1.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ScatterPlot</name>
    <message>
        <source>Scatter plot</source>
        <translation>Streudiagramm</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ScoreBar</name>
    <message>
        <source>Score not defined</source>
        <translation>Score nicht definiert</translation>
    </message>
    <message>
        <source>Score %1, baseline %2, interval %3 to %4</source>
        <translation>Score %1, Baseline %2, Intervall %3 bis %4</translation>
    </message>
    <message>
        <source>%1, threshold %2</source>
        <translation>%1, Schwelle %2</translation>
    </message>
    <message>
        <source>not defined</source>
        <translation>nicht definiert</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ScoreRow</name>
    <message>
        <source>%1: score and threshold</source>
        <translation>%1: Score und Schwelle</translation>
    </message>
    <message>
        <source>The type counts from this score on</source>
        <translation>Der Typ zählt ab diesem Score</translation>
    </message>
    <message>
        <source>from %1</source>
        <translation>ab %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ScoreTable</name>
    <message>
        <source>A label from %1 on, where “%2” is one too.</source>
        <translation>Ein Label ab %1, wo auch „%2“ eines ist.</translation>
    </message>
    <message>
        <source>A label from %1 on.</source>
        <translation>Ein Label ab %1.</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Types</source>
        <translation>Typen</translation>
    </message>
    <message>
        <source>Measured on %1, %2.</source>
        <translation>Gemessen auf %1, %2.</translation>
    </message>
    <message>
        <source>A label from %1 on, in a layer before the last “%2” head.</source>
        <translation>Ein Label ab %1, in einer Schicht vor dem letzten Kopf vom Typ „%2“.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ScoresDialog</name>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>Zeilen &amp;kopieren</translation>
    </message>
    <message>
        <source>Puts the selected rows on the clipboard as a table (Ctrl+C)</source>
        <translation>Legt die gewählten Zeilen als Tabelle in die Zwischenablage (Strg+C)</translation>
    </message>
    <message>
        <source>&amp;Export …</source>
        <translation>&amp;Exportieren …</translation>
    </message>
    <message>
        <source>Writes every score with baseline, interval and input to .csv, .json or .h5</source>
        <translation>Schreibt jeden Score mit Baseline, Intervall und Eingabe als .csv, .json oder .h5</translation>
    </message>
    <message>
        <source>&amp;Table</source>
        <translation>&amp;Tabelle</translation>
    </message>
    <message>
        <source>&amp;Scatter</source>
        <translation>&amp;Streudiagramm</translation>
    </message>
    <message>
        <source>Scores of all heads of %1</source>
        <translation>Scores aller Köpfe von %1</translation>
    </message>
    <message>
        <source>Scores of all heads</source>
        <translation>Scores aller Köpfe</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
    <message>
        <source>Not all labels are tested, and a command tests all.</source>
        <translation>Nicht alle Labels sind geprüft, und ein Befehl prüft alle.</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>Labels</translation>
    </message>
</context>
<context>
    <name>headscope::ui::ScoresPage</name>
    <message>
        <source>Scores of all heads</source>
        <translation>Scores aller Köpfe</translation>
    </message>
    <message>
        <source>Find heads: 4.1, L4, induction</source>
        <translation>Köpfe finden: 4.1, L4, induction</translation>
    </message>
    <message>
        <source>Words that all hold: a head (4.1), a layer (L4), a head in every layer (H1), or part of the name of a type</source>
        <translation>Wörter, die alle zutreffen: ein Kopf (4.1), eine Schicht (L4), ein Kopf in jeder Schicht (H1) oder ein Teil des Namens eines Typs</translation>
    </message>
    <message>
        <source>&amp;Labelled heads only</source>
        <translation>&amp;Nur Köpfe mit Typ</translation>
    </message>
    <message>
        <source>Leaves out heads that have no type</source>
        <translation>Lässt Köpfe weg, die keinen Typ haben</translation>
    </message>
    <message>
        <source>No head fits. A head is written 4.1 or L4 H1, a layer L4, a type by its name.</source>
        <translation>Kein Kopf passt. Ein Kopf schreibt sich 4.1 oder L4 H1, eine Schicht L4, ein Typ mit seinem Namen.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::SetupPanel</name>
    <message>
        <source>Po&amp;ints</source>
        <translation>P&amp;unkte</translation>
    </message>
    <message>
        <source>&amp;Measure</source>
        <translation>&amp;Messen</translation>
    </message>
    <message>
        <source>Ranks the heads and measures the curves; what is known already is not measured again</source>
        <translation>Reiht die Köpfe und misst die Kurven; was schon bekannt ist, wird nicht noch einmal gemessen</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>Texte</translation>
    </message>
    <message>
        <source>Orders</source>
        <translation>Reihenfolgen</translation>
    </message>
    <message>
        <source>What goes, and what stands in</source>
        <translation>Was geht und was dafür eintritt</translation>
    </message>
    <message>
        <source>Cuts of each curve, evenly over all units; further ones narrow down where it rises above the tolerance</source>
        <translation>Schnitte jeder Kurve, gleichmäßig über alle Einheiten; weitere grenzen ein, wo sie über die Toleranz steigt</translation>
    </message>
</context>
<context>
    <name>headscope::ui::SimilarityDialog</name>
    <message>
        <source>Head similarity</source>
        <translation>Ähnlichkeit der Köpfe</translation>
    </message>
    <message>
        <source>Comparing heads</source>
        <translation>Köpfe vergleichen</translation>
    </message>
    <message>
        <source>Stopped; “Compute Again” compares the heads.</source>
        <translation>Angehalten; „Neu berechnen“ vergleicht die Köpfe.</translation>
    </message>
    <message>
        <source>What the heads read while they are compared, without ablation</source>
        <translation>Was die Köpfe beim Vergleich lesen, ohne Ablation</translation>
    </message>
    <message>
        <source>Repeated random tokens</source>
        <translation>Wiederholte Zufallstokens</translation>
    </message>
    <message>
        <source>This prompt</source>
        <translation>Dieser Prompt</translation>
    </message>
    <message>
        <source>Pairs whose patterns are closer than this are listed; clusters are cut at this mean distance; nats, 0.69 lists all</source>
        <translation>Paare, deren Muster sich näher sind, stehen in der Liste; Cluster werden bei diesem mittleren Abstand geschnitten; nats, 0,69 nennt alle</translation>
    </message>
    <message>
        <source>Compared &amp;on</source>
        <translation>Verglichen &amp;auf</translation>
    </message>
    <message>
        <source>C&amp;loser than</source>
        <translation>&amp;Näher als</translation>
    </message>
    <message>
        <source>Distance of the patterns of all pairs of heads</source>
        <translation>Abstand der Muster aller Paare von Köpfen</translation>
    </message>
    <message>
        <source>Closest pairs of heads</source>
        <translation>Nächste Paare von Köpfen</translation>
    </message>
    <message>
        <source>The heads are compared when the prompt has run.</source>
        <translation>Die Köpfe werden verglichen, wenn der Prompt gelaufen ist.</translation>
    </message>
    <message>
        <source>Comparing heads …</source>
        <translation>Köpfe werden verglichen …</translation>
    </message>
    <message>
        <source>Point at a cell to read it; a click on a row or a pair selects the head.</source>
        <translation>Zeigen Sie auf eine Zelle, um sie zu lesen; ein Klick auf eine Zeile oder ein Paar wählt den Kopf.</translation>
    </message>
    <message>
        <source>There is nothing to repeat yet.</source>
        <translation>Noch gibt es nichts zu wiederholen.</translation>
    </message>
    <message>
        <source>Pattern distance on %1</source>
        <translation>Musterabstand auf %1</translation>
    </message>
    <message>
        <source>the prompt</source>
        <translation>dem Prompt</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>nats</translation>
    </message>
    <message>
        <source>Nothing is found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::StatusView</name>
    <message>
        <source>Loading</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>Measuring types</source>
        <translation>Typen werden gemessen</translation>
    </message>
    <message>
        <source>Testing heads</source>
        <translation>Köpfe werden getestet</translation>
    </message>
    <message>
        <source>Running the prompt</source>
        <translation>Prompt läuft</translation>
    </message>
    <message>
        <source>Files are read unprotected</source>
        <translation>Dateien werden ungeschützt gelesen</translation>
    </message>
    <message>
        <source>HEADSCOPE_UNSEALED is set: a file made to mislead could do harm. Open only files that you trust.</source>
        <translation>HEADSCOPE_UNSEALED ist gesetzt: Eine in böser Absicht gemachte Datei könnte Schaden anrichten. Öffnen Sie nur Dateien, denen Sie vertrauen.</translation>
    </message>
    <message>
        <source>square matrices transposed</source>
        <translation>quadratische Matrizen transponiert</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>Length of the prompt and time of its forward pass</source>
        <translation>Länge des Prompts und Dauer seines Vorwärtslaufs</translation>
    </message>
    <message>
        <source>Reading types off the prompt</source>
        <translation>Typen am Prompt werden gelesen</translation>
    </message>
    <message>
        <source>Testing labels</source>
        <translation>Labels werden geprüft</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TableExport</name>
    <message>
        <source>There is no table yet.</source>
        <translation>Noch gibt es keine Tabelle.</translation>
    </message>
    <message>
        <source>E&amp;xport …</source>
        <translation>E&amp;xportieren …</translation>
    </message>
    <message>
        <source>Writes this table to .csv, .json or .h5</source>
        <translation>Schreibt diese Tabelle als .csv, .json oder .h5</translation>
    </message>
    <message>
        <source>Exported %1</source>
        <translation>%1 exportiert</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TablePage</name>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search in the table</source>
        <translation>In der Tabelle suchen</translation>
    </message>
    <message>
        <source>Nothing is found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>Zeilen &amp;kopieren</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TemperatureControl</name>
    <message>
        <source>Temperature of the softmax, a what-if</source>
        <translation>Temperatur der Softmax, ein Was-wäre-wenn</translation>
    </message>
    <message>
        <source>What if the scores were divided by a temperature before the softmax: below 1 the head looks at fewer keys, above 1 at more. The network&apos;s own is 1; a double click leads back to it.</source>
        <translation>Was wäre, wenn die Scores vor der Softmax durch eine Temperatur geteilt würden: Unter 1 schaut der Kopf auf weniger Keys, über 1 auf mehr. Die des Netzes ist 1; ein Doppelklick führt zu ihr zurück.</translation>
    </message>
    <message>
        <source>Back to 1</source>
        <translation>Zurück zu 1</translation>
    </message>
    <message>
        <source>The network&apos;s own softmax</source>
        <translation>Die Softmax des Netzes</translation>
    </message>
    <message>
        <source>What if: temperature</source>
        <translation>Was wäre wenn: Temperatur</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TextChoice</name>
    <message>
        <source>A file …</source>
        <translation>Eine Datei …</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TextSource</name>
    <message>
        <source>Bundled text</source>
        <translation>Mitgelieferter Text</translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation>Eingefügter Text</translation>
    </message>
    <message>
        <source>Paste a text here; lines of &lt;|endoftext|&gt; part documents.</source>
        <translation>Fügen Sie hier einen Text ein; Zeilen aus &lt;|endoftext|&gt; trennen Dokumente.</translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Tokens</translation>
    </message>
    <message>
        <source>How many tokens of this text are read at most; every document has an even share</source>
        <translation>Wie viele Tokens dieses Textes höchstens gelesen werden; jedes Dokument hat denselben Anteil</translation>
    </message>
    <message>
        <source>Tokens of the text at most</source>
        <translation>Tokens des Textes höchstens</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TextsPanel</name>
    <message>
        <source>Cali&amp;bration</source>
        <translation>&amp;Kalibrierung</translation>
    </message>
    <message>
        <source>The text that heads are ranked by and compensations are fitted to</source>
        <translation>Der Text, nach dem Köpfe gereiht und Ausgleiche angepasst werden</translation>
    </message>
    <message>
        <source>the pasted calibration text</source>
        <translation>der eingefügte Kalibrierungstext</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>&amp;Test</translation>
    </message>
    <message>
        <source>The text that cuts are judged on; another one, since what was measured on the same text says nothing</source>
        <translation>Der Text, auf dem Schnitte beurteilt werden; ein anderer, denn was auf demselben Text gemessen wurde, sagt nichts</translation>
    </message>
    <message>
        <source>the pasted test text</source>
        <translation>der eingefügte Testtext</translation>
    </message>
    <message>
        <source>Calibration </source>
        <translation>Kalibrierung </translation>
    </message>
    <message>
        <source> tokens</source>
        <translation> Tokens</translation>
    </message>
    <message>
        <source>Tokens of a passage, BOS included; what a model of shorter context can read counts there</source>
        <translation>Tokens einer Passage, BOS eingeschlossen; bei einem Modell mit kürzerem Kontext zählt, was es lesen kann</translation>
    </message>
    <message>
        <source>Seed of random orders, of masked tokens and of Taylor&apos;s draws</source>
        <translation>Seed der zufälligen Reihenfolgen, der maskierten Tokens und der Ziehungen von Taylor</translation>
    </message>
    <message>
        <source>Passages o&amp;f</source>
        <translation>Passagen &amp;von</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>S&amp;eed</translation>
    </message>
    <message>
        <source>Few test tokens make wide intervals: then chance decides which hard documents are among them.</source>
        <translation>Wenige Testtokens machen breite Intervalle: Dann entscheidet der Zufall, welche schweren Dokumente darunter sind.</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>Lesen …</translation>
    </message>
    <message>
        <source>Which of the bundled texts; own is what the model writes itself. Each has curves of its own</source>
        <translation>Welche der mitgelieferten Texte; own ist, was das Modell selbst schreibt. Jeder hat eigene Kurven</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Bun&amp;dled texts</source>
        <translation>Mitgelie&amp;ferte Texte</translation>
    </message>
    <message>
        <source>%1 tokens of %2 texts</source>
        <translation>%1 Tokens aus %2 Texten</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TokenPage</name>
    <message>
        <source>ablated</source>
        <translation>ablatiert</translation>
    </message>
    <message>
        <source>Prompt as text</source>
        <translation>Prompt als Text</translation>
    </message>
    <message>
        <source>Lines between tokens</source>
        <translation>Linien zwischen Tokens</translation>
    </message>
    <message>
        <source>lines from %1 % of full strength on</source>
        <translation>Linien ab %1 % der vollen Stärke</translation>
    </message>
    <message>
        <source>queries %1 to %2 of %3</source>
        <translation>Queries %1 bis %2 von %3</translation>
    </message>
    <message>
        <source>Point at a token to see its lines alone, click to keep them.</source>
        <translation>Zeigen Sie auf ein Token, um nur seine Linien zu sehen; ein Klick hält sie fest.</translation>
    </message>
    <message>
        <source>The heads are being read; try again in a moment.</source>
        <translation>Die Köpfe werden noch gelesen; versuchen Sie es gleich noch einmal.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TokenStrip</name>
    <message>
        <source>token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>%1, position %2</source>
        <translation>%1, Position %2</translation>
    </message>
    <message>
        <source>, differs</source>
        <translation>, abweichend</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Token %1 of %2: %3</source>
        <translation>Token %1 von %2: %3</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TokenView</name>
    <message>
        <source>Token %1 of %2: %3.</source>
        <translation>Token %1 von %2: %3.</translation>
    </message>
    <message>
        <source>%1 tokens.</source>
        <translation>%1 Tokens.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TraceGraph</name>
    <message>
        <source>Nothing is traced</source>
        <translation>Nichts ist verfolgt</translation>
    </message>
    <message>
        <source>%1 of %2: %3</source>
        <translation>%1 von %2: %3</translation>
    </message>
    <message>
        <source>against</source>
        <translation>dagegen</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TypeLegend</name>
    <message>
        <source>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2 Click to see only this type in the grid, again to see all.</source>
        <translation>&lt;b&gt;%1&lt;/b&gt;&lt;br&gt;%2 Ein Klick zeigt nur diesen Typ im Raster, noch einer alle.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TypesHelpDialog</name>
    <message>
        <source>Read from %1; counts from %2%3. Second reading: %4.</source>
        <translation>Grundlage: %1; zählt ab %2%3. Zweite Lesart: %4.</translation>
    </message>
    <message>
        <source>, where “%1” counts too</source>
        <translation>, wo auch „%1“ zählt</translation>
    </message>
    <message>
        <source>Head types</source>
        <translation>Kopftypen</translation>
    </message>
    <message>
        <source>, in a layer before the last “%1” head</source>
        <translation>, in einer Schicht vor dem letzten Kopf vom Typ „%1“</translation>
    </message>
    <message>
        <source>What is known of a label</source>
        <translation>Was von einem Label bekannt ist</translation>
    </message>
    <message>
        <source>&lt;p&gt;A label rests on a pattern, and a pattern can mislead. “Test This Head&apos;s Labels” and “Test All Labels” measure five things more. Each has a mark:&lt;/p&gt;</source>
        <translation>&lt;p&gt;Ein Label beruht auf einem Muster, und ein Muster kann täuschen. „Labels dieses Kopfs prüfen“ und „Alle Labels prüfen“ messen, was darüber hinaus zu wissen ist. Jeder Teil hat eine Marke:&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;All marks together make one word, and the word makes the look of the label in the grid:&lt;/p&gt;</source>
        <translation>&lt;p&gt;Alle Marken zusammen ergeben ein Wort, und das Wort bestimmt, wie das Label im Raster aussieht:&lt;/p&gt;</translation>
    </message>
    <message>
        <source>filled</source>
        <translation>gefüllt</translation>
    </message>
    <message>
        <source>filled, inside a ring</source>
        <translation>gefüllt, in einem Ring</translation>
    </message>
    <message>
        <source>a broken line</source>
        <translation>eine unterbrochene Linie</translation>
    </message>
    <message>
        <source>stripes</source>
        <translation>Streifen</translation>
    </message>
    <message>
        <source>hollow</source>
        <translation>hohl</translation>
    </message>
    <message>
        <source>pale, with a thin letter</source>
        <translation>blass, mit dünnem Buchstaben</translation>
    </message>
    <message>
        <source>Example: a head that always looks at the first token has large weights, but none on the token after a repeat, so it is not called induction.</source>
        <translation>Beispiel: Ein Kopf, der immer das erste Token ansieht, hat große Gewichte, aber keines auf dem Token nach einer Wiederholung, und heißt deshalb nicht Induction.</translation>
    </message>
    <message>
        <source>Example: a head that always looks 49 tokens back finds the token after the repeat where the period is 50. It looks at the same place where nothing repeats, so its score is no larger than that of the control.</source>
        <translation>Beispiel: Ein Kopf, der immer 49 Token zurückblickt, trifft bei der Periode 50 das Token nach der Wiederholung. Wo sich nichts wiederholt, blickt er an dieselbe Stelle, sodass sein Score nicht größer ist als der der Kontrolle.</translation>
    </message>
    <message>
        <source>Example: a head whose output matrix W_O is 0 may attend as an induction head does, and adds nothing to the network.</source>
        <translation>Beispiel: Ein Kopf, dessen Ausgabematrix W_O 0 ist, kann blicken wie ein Induktionskopf und trägt doch nichts zum Netz bei.</translation>
    </message>
    <message>
        <source>Example: an induction head that works for tokens of one half of the vocabulary only, or only over short distances.</source>
        <translation>Beispiel: ein Induktionskopf, der nur bei Token einer Hälfte des Vokabulars oder nur über kurze Abstände arbeitet.</translation>
    </message>
    <message>
        <source>Example: a score just above its threshold, which ten other sequences or another period would put below it.</source>
        <translation>Beispiel: ein Score knapp über seiner Schwelle, der bei zehn anderen Sequenzen oder einer anderen Periode darunter läge.</translation>
    </message>
    <message>
        <source>Examples: later layers never read what the head writes, or the model is better without it. Where another head with this label makes up for it, that one is ablated, too.</source>
        <translation>Beispiele: Spätere Schichten lesen nie, was der Kopf schreibt, oder das Modell ist ohne ihn besser. Wo ihn ein anderer Kopf mit diesem Label ersetzt, wird auch dieser ablatiert.</translation>
    </message>
    <message>
        <source>&lt;p&gt;A is the attention pattern, q the query token, k the key token, T the number of tokens. A score is a mean over sequences, with its 95 % interval (Student&apos;s t). A head has a type when its score reaches the threshold and the interval is above the baseline, which is the score of a head that attends evenly to all it sees, and above the &lt;b&gt;control&lt;/b&gt;, where the type has one: what is read at the same places of input that lacks what the type looks for. A head may have several types. A type says what a head does, not that the model depends on it: &lt;b&gt;Test This Head&apos;s Labels&lt;/b&gt; measures that for each label, and &lt;b&gt;Effect of Ablating This Head&lt;/b&gt; for the head.&lt;/p&gt;</source>
        <translation>&lt;p&gt;A ist das Aufmerksamkeitsmuster, q das Query-Token, k das Key-Token, T die Zahl der Tokens. Ein Score ist ein Mittel über Sequenzen, mit seinem 95-%-Intervall (Student-t). Ein Kopf hat einen Typ, wenn sein Score die Schwelle erreicht und das Intervall über der Baseline liegt, dem Score eines Kopfs, der auf alles, was er sieht, gleichmäßig achtet, und über der &lt;b&gt;Kontrolle&lt;/b&gt;, wo der Typ eine hat: dem, was an denselben Stellen einer Eingabe abgelesen wird, der fehlt, was der Typ sucht. Ein Kopf kann mehrere Typen haben. Ein Typ sagt, was ein Kopf tut, nicht, dass das Modell darauf angewiesen ist: Das misst &lt;b&gt;Labels dieses Kopfs prüfen&lt;/b&gt; für jedes Label und &lt;b&gt;Wirkung der Ablation dieses Kopfs&lt;/b&gt; für den Kopf.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;The verdict on an effect is one of these. &lt;b&gt;Needed&lt;/b&gt;: ablating the head costs more than the least effect, and more than three in four heads near it; a head that the answer goes through. &lt;b&gt;Secondary&lt;/b&gt;: more than the least effect, but not clearly more than heads near it. &lt;b&gt;Interferes&lt;/b&gt;: the model does better without it. &lt;b&gt;No effect found&lt;/b&gt;: the whole interval is less than the least effect; the head may be idle, or another may make up for it, which “Find its backups” tells. &lt;b&gt;Undecided&lt;/b&gt;: the interval is too wide for any of these, as with a single prompt.&lt;/p&gt;</source>
        <translation>&lt;p&gt;Das Urteil über eine Wirkung ist eines von diesen. &lt;b&gt;Gebraucht&lt;/b&gt;: Die Ablation des Kopfs kostet mehr als die kleinste Wirkung und mehr als die von drei Vierteln der Köpfe in der Nähe; durch ihn geht die Antwort. &lt;b&gt;Nebensächlich&lt;/b&gt;: mehr als die kleinste Wirkung, aber nicht deutlich mehr als Köpfe in der Nähe. &lt;b&gt;Stört&lt;/b&gt;: Das Modell ist ohne ihn besser. &lt;b&gt;Keine Wirkung gefunden&lt;/b&gt;: Das ganze Intervall ist kleiner als die kleinste Wirkung; der Kopf ist vielleicht untätig, oder ein anderer ersetzt ihn, was „Ersatz suchen“ sagt. &lt;b&gt;Unentschieden&lt;/b&gt;: Das Intervall ist für all das zu breit, wie bei einem einzelnen Prompt.&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>headscope::ui::TypesPanel</name>
    <message>
        <source>All types</source>
        <translation>Alle Typen</translation>
    </message>
    <message>
        <source>Also the types that this head does not have</source>
        <translation>Auch die Typen, die dieser Kopf nicht hat</translation>
    </message>
    <message>
        <source>Reset &amp;Thresholds</source>
        <translation>Sch&amp;wellen zurücksetzen</translation>
    </message>
    <message>
        <source>Back to the thresholds that Headscope comes with</source>
        <translation>Zurück zu den Schwellen, die Headscope mitbringt</translation>
    </message>
    <message>
        <source>Edit thresholds</source>
        <translation>Schwellen ändern</translation>
    </message>
    <message>
        <source>A type counts from its threshold on; the marks can then be dragged, or moved with the arrow keys</source>
        <translation>Ein Typ zählt ab seiner Schwelle; die Marken lassen sich dann ziehen oder mit den Pfeiltasten bewegen</translation>
    </message>
    <message>
        <source>Types of %1</source>
        <translation>Typen von %1</translation>
    </message>
    <message>
        <source>Types of a head</source>
        <translation>Typen eines Kopfs</translation>
    </message>
    <message>
        <source>None of its %1 scores reaches its threshold.</source>
        <translation>Keiner seiner %1 Scores erreicht seine Schwelle.</translation>
    </message>
    <message>
        <source>Testing …</source>
        <translation>Prüfen …</translation>
    </message>
    <message>
        <source>Test the labels of %1</source>
        <translation>Labels von %1 prüfen</translation>
    </message>
    <message>
        <source>Ablates the head on what its labels are read from, and reads them on other input and on resamples (Ctrl+Shift+L)</source>
        <translation>Ablatiert den Kopf dort, wo seine Labels abgelesen werden, und liest sie auf anderer Eingabe und auf Stichproben (Strg+Umschalt+L)</translation>
    </message>
</context>
<context>
    <name>headscope::ui::VerifyDialog</name>
    <message>
        <source>Verify Headscope and %1</source>
        <translation>Headscope und %1 verifizieren</translation>
    </message>
    <message>
        <source>Verify Headscope</source>
        <translation>Headscope verifizieren</translation>
    </message>
    <message>
        <source>Checking: %1 …</source>
        <translation>Prüfen: %1 …</translation>
    </message>
    <message>
        <source>outputs of this model that another program stored (.h5)</source>
        <translation>Ausgaben dieses Modells, die ein anderes Programm gespeichert hat (.h5)</translation>
    </message>
    <message>
        <source>&amp;Browse …</source>
        <translation>&amp;Durchsuchen …</translation>
    </message>
    <message>
        <source>Verify &amp;Again</source>
        <translation>Neu &amp;verifizieren</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>S&amp;topp</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>&amp;Save …</source>
        <translation>&amp;Speichern …</translation>
    </message>
    <message>
        <source>Checks</source>
        <translation>Prüfungen</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <source>Expected</source>
        <translation>Erwartet</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>&amp;Reference</source>
        <translation>&amp;Referenz</translation>
    </message>
    <message>
        <source>Checking …</source>
        <translation>Prüfen …</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>Angehalten.</translation>
    </message>
    <message>
        <source>%1 No model is open: only what needs none was checked.</source>
        <translation>%1 Kein Modell ist geöffnet: Geprüft wurde nur, was keines braucht.</translation>
    </message>
    <message>
        <source>There is no report yet.</source>
        <translation>Noch gibt es keinen Bericht.</translation>
    </message>
    <message>
        <source>Text (*.txt);;JSON (*.json)</source>
        <translation>Text (*.txt);;JSON (*.json)</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>Not verified: the model may not be what its file says; see the lines with a question mark. %1</source>
        <translation>Nicht verifiziert: Das Modell ist vielleicht nicht, was seine Datei sagt; siehe die Zeilen mit einem Fragezeichen. %1</translation>
    </message>
    <message>
        <source>%1 passed, %2 failed, %3 not verified, %4 not applicable.</source>
        <translation>%1 bestanden, %2 fehlgeschlagen, %3 nicht verifiziert, %4 nicht anwendbar.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::WayPanel</name>
    <message>
        <source>What is removed at a time</source>
        <translation>Was auf einmal entfernt wird</translation>
    </message>
    <message>
        <source>Query head</source>
        <translation>Query-Kopf</translation>
    </message>
    <message>
        <source>KV group</source>
        <translation>KV-Gruppe</translation>
    </message>
    <message>
        <source>Attention of a layer</source>
        <translation>Attention einer Schicht</translation>
    </message>
    <message>
        <source>How many heads or KV groups stay in every layer at least</source>
        <translation>Wie viele Köpfe oder KV-Gruppen in jeder Schicht mindestens bleiben</translation>
    </message>
    <message>
        <source>none, or 4.1 4.2</source>
        <translation>keine, oder 4.1 4.2</translation>
    </message>
    <message>
        <source>Heads that stay whatever their score, as layer.head</source>
        <translation>Köpfe, die bei jedem Score bleiben, als Schicht.Kopf</translation>
    </message>
    <message>
        <source>Adds the head that is selected in the grid</source>
        <translation>Fügt den Kopf hinzu, der im Raster gewählt ist</translation>
    </message>
    <message>
        <source>What replaces the output of a removed head while heads are scored, and on the curve where nothing compensates for it</source>
        <translation>Was die Ausgabe eines entfernten Kopfs ersetzt, während Köpfe bewertet werden, und auf der Kurve, wo nichts ihn ausgleicht</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Null</translation>
    </message>
    <message>
        <source>Its mean on the calibration text</source>
        <translation>Sein Mittel auf dem Kalibrierungstext</translation>
    </message>
    <message>
        <source>Another passage&apos;s value</source>
        <translation>Wert einer anderen Passage</translation>
    </message>
    <message>
        <source>What makes up for removed heads in the smaller model; with any, the curves are those of the compensated model</source>
        <translation>Was entfernte Köpfe im kleineren Modell ausgleicht; damit sind die Kurven die des ausgeglichenen Modells</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>Nichts</translation>
    </message>
    <message>
        <source>Mean into the output bias</source>
        <translation>Mittel in den Ausgabe-Bias</translation>
    </message>
    <message>
        <source>Ridge least squares on W_O</source>
        <translation>Ridge-Regression auf W_O</translation>
    </message>
    <message>
        <source>Closest head, rotated</source>
        <translation>Nächster Kopf, gedreht</translation>
    </message>
    <message>
        <source>&amp;One at a time</source>
        <translation>&amp;Jeweils einer</translation>
    </message>
    <message>
        <source>&amp;Least per layer</source>
        <translation>M&amp;indestens je Schicht</translation>
    </message>
    <message>
        <source>P&amp;rotected</source>
        <translation>Gesch&amp;ützt</translation>
    </message>
    <message>
        <source>&amp;Ablation</source>
        <translation>A&amp;rt der Ablation</translation>
    </message>
    <message>
        <source>Comp&amp;ensation</source>
        <translation>&amp;Ausgleich</translation>
    </message>
    <message>
        <source>Removing a head of a KV group saves W_Q and W_O; W_K, W_V and the KV cache go with the last head of the group.</source>
        <translation>Ein entfernter Kopf einer KV-Gruppe spart W_Q und W_O; W_K, W_V und der KV-Cache gehen mit dem letzten Kopf der Gruppe.</translation>
    </message>
    <message>
        <source>+ %1</source>
        <translation>+ %1</translation>
    </message>
</context>
<context>
    <name>headscope::ui::WeightHistogram</name>
    <message>
        <source>%1 to %2: %3 sequence</source>
        <translation>%1 bis %2: %3 Sequenz</translation>
    </message>
    <message>
        <source>%1 to %2: %3 sequences</source>
        <translation>%1 bis %2: %3 Sequenzen</translation>
    </message>
    <message>
        <source>largest weight of a sequence</source>
        <translation>größtes Gewicht einer Sequenz</translation>
    </message>
</context>
<context>
    <name>headscope::ui::WhyChoices</name>
    <message>
        <source>Query</source>
        <translation>Query</translation>
    </message>
    <message>
        <source>The token that looks; a locked row chooses it, too</source>
        <translation>Das Token, das schaut; auch eine festgehaltene Zeile wählt es</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Key</translation>
    </message>
    <message>
        <source>The token it looks at, those with the most attention first</source>
        <translation>Das Token, auf das es schaut, die mit der meisten Aufmerksamkeit zuerst</translation>
    </message>
    <message>
        <source>Compared with</source>
        <translation>Verglichen mit</translation>
    </message>
    <message>
        <source>What its score is compared with: why this key and not that</source>
        <translation>Womit sein Score verglichen wird: warum dieser Key und nicht jener</translation>
    </message>
    <message>
        <source>Smallest share in the graph</source>
        <translation>Kleinster Anteil im Graphen</translation>
    </message>
    <message>
        <source>The graph shows and follows only that through which this share of the score goes</source>
        <translation>Der Graph zeigt und verfolgt nur das, wodurch dieser Anteil des Scores geht</translation>
    </message>
    <message>
        <source>graph from %1 %</source>
        <translation>Graph ab %1 %</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>to</source>
        <translation>auf</translation>
    </message>
    <message>
        <source>rather than</source>
        <translation>statt</translation>
    </message>
    <message>
        <source>%1  (%2)</source>
        <translation>%1  (%2)</translation>
    </message>
    <message>
        <source>the other keys</source>
        <translation>die anderen Keys</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
</context>
<context>
    <name>headscope::ui::WhyPage</name>
    <message>
        <source>What the key reads, strongest first</source>
        <translation>Was der Key liest, Stärkstes zuerst</translation>
    </message>
    <message>
        <source>What the query reads, strongest first</source>
        <translation>Was die Query liest, Stärkstes zuerst</translation>
    </message>
    <message>
        <source>Shares of each side add up to 100 %; what speaks against the key has a negative one, so that others may be above 100 %.</source>
        <translation>Die Anteile jeder Seite ergeben zusammen 100 %; was gegen den Key spricht, hat einen negativen, andere können also über 100 % liegen.</translation>
    </message>
    <message>
        <source>Where it came from</source>
        <translation>Woher es kam</translation>
    </message>
    <message>
        <source>Why %1 looks there</source>
        <translation>Warum %1 dorthin schaut</translation>
    </message>
    <message>
        <source>Biases and distances are part of the head itself; choose something that was written before it.</source>
        <translation>Biases und Abstände gehören zum Kopf selbst; wählen Sie etwas, das vor ihm geschrieben wurde.</translation>
    </message>
    <message>
        <source>Measure what this cell becomes without %1 on this side.</source>
        <translation>Messen, was aus dieser Zelle auf dieser Seite ohne %1 wird.</translation>
    </message>
    <message>
        <source>Measure what this cell becomes without what the key holds along direction %1.</source>
        <translation>Messen, was aus dieser Zelle ohne das wird, was der Key entlang der Richtung %1 hat.</translation>
    </message>
    <message>
        <source>The head is being read; try again in a moment.</source>
        <translation>Der Kopf wird noch gelesen; versuchen Sie es gleich noch einmal.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::WorstPage</name>
    <message>
        <source>Tokens whose loss grew most</source>
        <translation>Tokens, deren Loss am meisten wuchs</translation>
    </message>
    <message>
        <source>Stopped; choose a point of a curve to look again.</source>
        <translation>Angehalten; wählen Sie einen Punkt einer Kurve, um wieder zu suchen.</translation>
    </message>
    <message>
        <source>The worst tokens are looked for when the curves are measured.</source>
        <translation>Die schlechtesten Tokens werden gesucht, wenn die Kurven gemessen sind.</translation>
    </message>
    <message>
        <source>Averages hide failures: the tokens that got worst are shown here when a point of a curve is chosen.</source>
        <translation>Mittelwerte verbergen Fehler: Die Tokens, die schlechter wurden, stehen hier, wenn ein Punkt einer Kurve gewählt ist.</translation>
    </message>
    <message>
        <source>Looking for the worst tokens …</source>
        <translation>Die schlechtesten Tokens werden gesucht …</translation>
    </message>
    <message>
        <source>No token got worse.</source>
        <translation>Kein Token wurde schlechter.</translation>
    </message>
</context>
<context>
    <name>headscope::ui::WriteButton</name>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>The most probable token each time</source>
        <translation>Jedes Mal das wahrscheinlichste Token</translation>
    </message>
    <message>
        <source>Drawn at temperature %1</source>
        <translation>Gezogen bei Temperatur %1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Write on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Lets the model go on after the prompt by %1 (Ctrl+G)</source>
        <translation>Lässt das Modell hinter dem Prompt um %1 weiterschreiben (Strg+G)</translation>
    </message>
    <message>
        <source>drawn at temperature %1 with seed %2</source>
        <translation>gezogen bei Temperatur %1 mit Seed %2</translation>
    </message>
</context>
<context>
    <name>headscope::ui::WritingLine</name>
    <message>
        <source>%1 raises no token here.</source>
        <translation>%1 hebt hier kein Token an.</translation>
    </message>
    <message>
        <source>%1 raises  %2   lowers  %3</source>
        <translation>%1 hebt  %2   senkt  %3</translation>
    </message>
    <message>
        <source>Reading what %1 writes …</source>
        <translation>Lesen, was %1 schreibt …</translation>
    </message>
    <message>
        <source>What %1 writes cannot be read.</source>
        <translation>Was %1 schreibt, lässt sich nicht lesen.</translation>
    </message>
    <message>
        <source>What the head adds directly to the logits of the next token at this position: its output through W_O, the norms at the scale of this run, and the unembedding, less the mean over the vocabulary. Tokens with the largest changes.</source>
        <translation>Was der Kopf an dieser Position direkt zu den Logits des nächsten Tokens beiträgt: seine Ausgabe durch W_O, die Normen auf der Skala dieses Laufs, und das Unembedding, minus das Mittel über das Vokabular. Die Tokens mit den größten Änderungen.</translation>
    </message>
</context>
</TS>
