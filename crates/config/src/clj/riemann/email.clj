;; riemann.email: mail.
(ns riemann.email
  (:require [postal.core]
            [riemann.common :as common]))

(defn email-event
  "Mails one event, or several in one letter, through the server that smtp-options name. What
  message-options has for :subject and :body is called with the events."
  [smtp-options message-options events]
  (let [events (flatten [events])
        written (fn [field default]
                  (let [writer (get message-options field default)]
                    (if (string? writer) writer (writer events))))]
    (postal.core/send-message smtp-options
                              (assoc message-options
                                     :subject (written :subject common/subject)
                                     :body    (written :body common/body)))))
