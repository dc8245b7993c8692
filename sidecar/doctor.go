package sidecar

import (
	"context"

	"pillion/editors"
	"pillion/rpc/message"
	"pillion/sidecar/doctor"
)

// doctorName is the name of the document that shows what is not as it should be.
const doctorName = "doctor"

func (s *Session) doctor(ctx context.Context, params message.DoctorParams) (message.DoctorResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.DoctorResult{}, err
	}
	return message.DoctorResult{Rows: doctor.Look(ctx, c, params.Sections)}, nil
}

// showDoctor shows it. Runners may take their time to tell their versions, so the answer does not wait (U21).
func (s *Session) showDoctor(ctx context.Context, _ message.Empty) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	s.inBackground(func() {
		text := editors.DoctorText(doctor.Look(s.lifetime, c, nil))
		path, err := s.writeDocument(doctorName, text)
		if err != nil {
			s.editor.showMessage(s, messageError, "Pillion: "+err.Error())
			return
		}
		s.editor.showFile(s, path, editors.DoctorLine(text))
	})
	return message.Empty{}, nil
}
