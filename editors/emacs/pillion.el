(define-derived-mode mcp-json-mode js-mode "MCP")
(add-to-list 'auto-mode-alist '("/\\.mcp\\.json\\'" . mcp-json-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(mcp-json-mode "pillion" "--stdio")))
(add-hook 'mcp-json-mode-hook 'eglot-ensure)

(defun pillion-call (tool arguments)
  "Call TOOL of a connector with ARGUMENTS, the text of a JSON object."
  (interactive "sTool: \nsArguments (JSON): ")
  (with-current-buffer
      (or (seq-find (lambda (buffer)
                      (with-current-buffer buffer
                        (and (derived-mode-p 'mcp-json-mode) (eglot-managed-p))))
                    (buffer-list))
          (user-error "Open .mcp.json first"))
    (eglot-execute-command (eglot-current-server) "pillion.server.tool.call"
                           (vector tool (json-parse-string arguments :object-type 'plist)))))
