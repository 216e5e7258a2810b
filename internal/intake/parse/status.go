package parse

import "strings"

// OrderStatus is what a word says about an order.
type OrderStatus int

// The order states. StatusUnknown is a word not in the lists.
const (
	StatusUnknown OrderStatus = iota
	StatusFilled
	StatusPartial
	StatusCanceled
	StatusRejected
	StatusExpired
	StatusPending
)

// SkipReasons are the reasons for skipping order rows without a fill.
var SkipReasons = map[OrderStatus]string{
	StatusCanceled: "cancelled order",
	StatusRejected: "rejected order",
	StatusExpired:  "expired order",
	StatusPending:  "pending order",
}

// The words for order states, in sideKey form: English, German, French, Spanish, Italian,
// Portuguese, Dutch, Swedish, Norwegian, Danish, Polish, Japanese and Chinese.
var statusWords = map[OrderStatus][]string{
	StatusFilled: {
		"filled", "fill", "fully filled", "full fill", "executed", "fully executed", "execution", "traded", "matched", "settled", "all filled",
		"ausgeführt", "vollständig ausgeführt", "gefüllt", "erfüllt", "abgerechnet",
		"exécuté", "exécutée", "exécutés", "exécutées", "ejecutado", "ejecutada", "eseguito", "eseguita", "executado", "executada",
		"uitgevoerd", "utförd", "avslutad", "utført", "udført", "zrealizowane", "zrealizowany",
		"約定", "約定済", "全部約定", "已成交", "全部成交", "完全成交",
		"completed", "complete", "done", "success", "successful", "abgeschlossen", "erledigt", "terminé", "terminée", "complété", "complétée",
		"completado", "completada", "completato", "completata", "concluído", "concluída", "voltooid", "slutförd", "fullført", "gennemført", "zakończone",
		"zakończony", "完了", "已完成",
	},
	StatusPartial: {
		"partially filled", "partial fill", "partial", "partially executed", "partfilled", "part filled", "partially", "partly filled",
		"teilausgeführt", "teilweise ausgeführt", "teilausführung", "partiellement exécuté", "partiellement exécutée", "exécution partielle",
		"parcialmente ejecutado", "parcialmente ejecutada", "ejecución parcial", "parzialmente eseguito", "parzialmente eseguita",
		"parcialmente executado", "parcialmente executada", "gedeeltelijk uitgevoerd", "delvis utförd", "delvis utført", "delvist udført",
		"一部約定", "部分成交",
	},
	StatusCanceled: {
		"cancelled", "canceled", "cancel", "cancelled by user", "canceled by user", "user cancelled", "user canceled", "killed", "deleted",
		"withdrawn", "void", "voided", "verified canceled", "verified cancelled", "pending cancel", "pending cancelled",
		"storniert", "gestrichen", "gelöscht", "abgebrochen", "annulliert", "annulé", "annulée", "cancelado", "cancelada", "anulado", "anulada",
		"annullato", "annullata", "cancellato", "cancellata", "geannuleerd", "makulerad", "annullerad", "avbruten", "kansellert", "annulleret", //nolint:misspell // Italian
		"anulowane", "anulowany", "取消", "取消済", "已撤单", "已取消", "撤单",
	},
	StatusRejected: {
		"rejected", "reject", "failed", "failure", "declined", "refused", "error", "invalid", "denied",
		"abgelehnt", "zurückgewiesen", "fehlgeschlagen", "rejeté", "rejetée", "refusé", "refusée", "échoué", "rechazado", "rechazada", "fallido",
		"fallida", "rifiutato", "rifiutata", "respinto", "respinta", "fallito", "rejeitado", "rejeitada", "recusado", "falhou",
		"geweigerd", "afgewezen", "mislukt", "avvisad", "nekad", "avvist", "afvist", "odrzucone", "odrzucony", "拒否", "却下", "失効", "已拒绝", "失败",
	},
	StatusExpired: {
		"expired", "lapsed", "timed out", "abgelaufen", "verfallen", "erloschen", "expiré", "expirée", "caducado", "caducada", "vencido", "vencida",
		"scaduto", "scaduta", "expirado", "expirada", "vervallen", "verlopen", "utgången", "förfallen", "utløpt", "udløbet", "wygasłe",
		"期限切れ", "已过期",
	},
	StatusPending: {
		"pending", "working", "queued", "submitted", "pre submitted", "presubmitted", "pending new", "pending submit", "accepted", "received", "open",
		"new", "active", "live", "placed", "sent", "order sent", "waiting", "unfilled", "not filled", "inactive", "suspended", "held", "triggered",
		"partially pending", "ausstehend", "offen", "wartend", "aktiv", "neu", "en attente", "en cours", "ouvert", "ouverte", "actif", "pendiente", "abierto",
		"abierta", "activo", "activa", "nueva", "nuevo", "in attesa", "in corso", "aperto", "aperta", "attivo", "pendente", "aberto", "aberta", "ativo",
		"in behandeling", "openstaand", "lopend", "väntande", "öppen", "ventende", "åben", "åpen", "oczekujące", "aktywne",
		"注文中", "発注中", "待機中", "未約定", "未成交", "已报", "待成交",
	},
}

// statuses has the states by word, and partialPhrases are the partial fill's words with a
// blank between them.
var statuses, partialPhrases = func() (states map[string]OrderStatus, phrases []string) {
	states = map[string]OrderStatus{}
	for status, words := range statusWords {
		for _, word := range words {
			states[word] = status
			if status == StatusPartial && strings.Contains(word, " ") {
				phrases = append(phrases, word)
			}
		}
	}
	return states, phrases
}()

// weakStatusWords state an order's state only beside other words for it: alone they may
// as well be about a position or a trade.
var weakStatusWords = WordSet(
	"open", "new", "active", "live", "placed", "sent", "accepted", "received", "held", "inactive", "offen", "aktiv", "neu", "ouvert", "ouverte",
	"actif", "abierto", "abierta", "activo", "activa", "nuevo", "nueva", "aperto", "aperta", "attivo", "aberto", "aberta", "ativo", "öppen", "åben",
	"åpen", "avslutad", "vencido", "vencida", "partial", "execution", "fill", "error", "invalid", "void", "約定",
	"completed", "complete", "done", "success", "successful", "abgeschlossen", "erledigt", "terminé", "terminée", "complété", "complétée",
	"completado", "completada", "completato", "completata", "concluído", "concluída", "voltooid", "slutförd", "fullført", "gennemført", "zakończone",
	"zakończony", "完了", "已完成",
)

// Status reads the word for an order's state. What follows a word, such as a rejection's
// reason, does not matter; a partial fill beats all.
func Status(text string) OrderStatus {
	key := sideKey(text)
	if key == "" {
		return StatusUnknown
	}
	if status, known := statuses[key]; known {
		return status
	}
	first, _, several := strings.Cut(key, " ")
	if !several {
		return StatusUnknown
	}
	for _, phrase := range partialPhrases {
		if strings.Contains(key, phrase) {
			return StatusPartial
		}
	}
	if !weakStatusWords[first] {
		return statuses[first]
	}
	return StatusUnknown
}

// IsStrongStatus reports whether a word can only be about an order.
func IsStrongStatus(text string) bool {
	return Status(text) != StatusUnknown && !weakStatusWords[sideKey(text)]
}
