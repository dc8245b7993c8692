;; What an installed Emacs has of itself: eglot is found when it is first named. It sets nothing that changes what a person sees.
(autoload 'eglot "eglot" nil t)
(autoload 'eglot-ensure "eglot" nil t)
;; A list of the errors of Emacs itself would cover the screen.
(setq inhibit-startup-screen t)
