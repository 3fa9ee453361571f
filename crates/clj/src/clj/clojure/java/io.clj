; What of clojure.java.io is said in terms of the rest.

(defn as-url "A java.net.URL, of one, of a file or of a text." [x]
  (cond
    (nil? x) nil
    (instance? java.net.URL x) x
    (instance? java.io.File x) (java.net.URL. (str "file:" (.getAbsolutePath x)))
    :else (java.net.URL. (str x))))

(defn delete-file "Deletes a file; throws if it cannot, unless silently." [f & silently]
  (or (.delete (file f))
      (if (seq silently)
        (first silently)
        (throw (java.io.IOException. (str "Couldn't delete " f))))))

(defn make-parents "Makes the folders that a file is in." [f & more]
  (if-let [parent (.getParentFile (apply file f more))]
    (.mkdirs parent)
    nil))

(defn input-stream "A stream of the bytes of a file, a text in a reader, or an array." [x & opts]
  (cond
    (instance? java.io.InputStream x) x
    (instance? (class (byte-array 0)) x) (java.io.ByteArrayInputStream. x)
    :else (java.io.ByteArrayInputStream. (.getBytes (slurp x)))))

(defn output-stream "A stream to write text or bytes to, of one or of a file." [x & opts]
  (if (instance? java.io.OutputStream x)
    x
    (apply writer x opts)))

(defn make-reader "As reader." [x opts]
  (reader x))

(defn make-writer "As writer." [x opts]
  (apply writer x (mapcat identity opts)))

(defn make-input-stream "As input-stream." [x opts]
  (input-stream x))

(defn make-output-stream "As output-stream." [x opts]
  (output-stream x))
