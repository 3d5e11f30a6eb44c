package push

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// MaxPayload is the longest text that Encrypt accepts, in bytes: push services are only required to accept
// bodies of 4,096 bytes, of which the header, the padding and the tag need 103.
const MaxPayload = 4096 - headerBytes - 1 - tagBytes

const (
	saltBytes   = 16
	pointBytes  = 65
	tagBytes    = 16
	headerBytes = saltBytes + 4 + 1 + pointBytes
	recordSize  = 4096
)

// encrypt returns the body of a push message (RFC 8291, aes128gcm): text, readable only by the browser with the
// private half of the key in sub. The key and the salt must be new for each message.
func encrypt(text []byte, sub Subscription, own *ecdh.PrivateKey, salt [saltBytes]byte) ([]byte, error) {
	if len(text) > MaxPayload {
		return nil, fmt.Errorf("encrypt %d bytes: at most %d fit into a push message", len(text), MaxPayload)
	}
	theirs, err := ecdh.P256().NewPublicKey(sub.P256DH[:])
	if err != nil {
		return nil, fmt.Errorf("read the key of a subscription: %w", err)
	}
	shared, err := own.ECDH(theirs)
	if err != nil {
		return nil, fmt.Errorf("agree on a secret: %w", err)
	}
	public := own.PublicKey().Bytes()
	info := "WebPush: info\x00" + string(sub.P256DH[:]) + string(public)
	secret, err := hkdf.Key(sha256.New, shared, sub.Auth[:], info, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the secret of a message: %w", err)
	}
	key, err := hkdf.Key(sha256.New, secret, salt[:], "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, fmt.Errorf("derive the key of a message: %w", err)
	}
	nonce, err := hkdf.Key(sha256.New, secret, salt[:], "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, fmt.Errorf("derive the nonce of a message: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("prepare a cipher: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("prepare a cipher: %w", err)
	}
	body := make([]byte, 0, headerBytes+len(text)+1+tagBytes)
	body = append(body, salt[:]...)
	body = binary.BigEndian.AppendUint32(body, recordSize)
	body = append(body, pointBytes)
	body = append(body, public...)
	plain := append(append(make([]byte, 0, len(text)+1), text...), 2) // 2 ends the last record
	return gcm.Seal(body, nonce, plain, nil), nil
}
