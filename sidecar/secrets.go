package sidecar

import (
	"context"

	"pillion/mcp/auth"
	"pillion/mcp/host"
	"pillion/rpc"
	"pillion/rpc/message"
)

func (s *Session) secrets(ctx context.Context, _ message.Empty) (message.SecretsResult, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.SecretsResult{}, err
	}
	secrets, err := c.Secrets()
	if err != nil {
		return message.SecretsResult{}, rpc.Errorf(rpc.CodeRequestFailed, "%s", err)
	}
	result := message.SecretsResult{Secrets: make([]message.Secret, len(secrets))}
	for i, secret := range secrets {
		result.Secrets[i] = SecretMessage(secret)
	}
	return result, nil
}

// SecretMessage is a secret as a client is told of it.
func SecretMessage(s host.Secret) message.Secret {
	return message.Secret{ID: s.ID, Source: s.Source, Root: fileURI(s.Root), Destination: s.Destination, Set: s.IsSet}
}

func (s *Session) secretSet(ctx context.Context, params message.SecretSetParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	k, err := secretKey(params.ID, params.Source, params.Root, params.Destination)
	if err != nil {
		return message.Empty{}, err
	}
	if err := c.SetSecret(ctx, k, params.Value); err != nil {
		return message.Empty{}, rpc.Errorf(rpc.CodeRequestFailed, "%s", err)
	}
	return message.Empty{}, nil
}

func (s *Session) secretRemove(ctx context.Context, params message.SecretRemoveParams) (message.Empty, error) {
	c, err := s.host(ctx)
	if err != nil {
		return message.Empty{}, err
	}
	k, err := secretKey(params.ID, params.Source, params.Root, params.Destination)
	if err != nil {
		return message.Empty{}, err
	}
	if err := c.RemoveSecret(ctx, k); err != nil {
		return message.Empty{}, rpc.Errorf(rpc.CodeRequestFailed, "%s", err)
	}
	return message.Empty{}, nil
}

func secretKey(id, source string, root message.URI, destination string) (auth.Key, error) {
	k := auth.Key{ID: id, Source: source, Root: pathOf(root), Destination: destination}
	if root != "" && k.Root == "" {
		return auth.Key{}, rpc.Errorf(rpc.CodeInvalidParams, "root is %q, which is not the address of a folder", root)
	}
	return k, nil
}
