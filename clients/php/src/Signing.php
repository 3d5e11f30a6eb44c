<?php

declare(strict_types=1);

namespace Carillon;

/** Tokens of users, and the signatures of webhooks and receipts. */
final class Signing
{
    /**
     * Signs a token that says who is signed in to your application, for the elements of its pages.
     *
     * @param string  $key      the CARILLON_TOKEN_KEY of the app
     * @param string  $user     the user's id in your application
     * @param ?string $name     what people call them
     * @param int     $lifetime in seconds
     * @param array   $claims   other claims
     */
    public static function userToken(
        #[\SensitiveParameter] string $key,
        string $user,
        ?string $name = null,
        int $lifetime = 900,
        array $claims = [],
    ): string {
        $now = time();
        $header = ['alg' => 'HS256', 'kid' => explode('.', $key)[0]];
        $claims += ['sub' => $user, 'aud' => 'carillon', 'iat' => $now, 'exp' => $now + $lifetime];
        if ($name !== null) {
            $claims['name'] = $name;
        }
        $signed = self::encode(json_encode($header, JSON_THROW_ON_ERROR)) . '.' . self::encode(json_encode($claims, JSON_THROW_ON_ERROR));

        return $signed . '.' . self::encode(hash_hmac('sha256', $signed, $key, true));
    }

    /**
     * Returns the event of a webhook's message.
     *
     * @param string|array $secrets   what `carillon hook add` printed; the old and the new one while they are rotated
     * @param array        $headers   by name, as from getallheaders()
     * @param string       $body      exactly as it was received: file_get_contents('php://input')
     * @param int          $tolerance how old a message may be, in seconds
     *
     * @throws InvalidSignature
     */
    public static function verifyWebhook(
        #[\SensitiveParameter] string|array $secrets,
        array $headers,
        string $body,
        int $tolerance = 300,
    ): array {
        $headers = array_change_key_case($headers);
        [$id, $sent, $signatures] = array_map(fn (string $name) => (string) ($headers["webhook-$name"] ?? ''), ['id', 'timestamp', 'signature']);
        if ($id === '' || !ctype_digit($sent)) {
            throw new InvalidSignature('the headers webhook-id and webhook-timestamp are missing');
        }
        if (abs(time() - (int) $sent) > $tolerance) {
            throw new InvalidSignature("the message is more than $tolerance seconds old, or the clock is wrong");
        }
        foreach ((array) $secrets as $secret) {
            $key = base64_decode(str_starts_with($secret, 'whsec_') ? substr($secret, 6) : $secret, true);
            if ($key === false) {
                throw new \InvalidArgumentException('the secret of a webhook begins with whsec_');
            }
            $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $key, true));
            foreach (explode(' ', $signatures) as $one) {
                if (hash_equals($want, $one)) {
                    return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
                }
            }
        }
        throw new InvalidSignature('no signature is valid');
    }

    /**
     * Returns what a receipt proves.
     *
     * @param array $keys what Client::receiptKeys returns
     *
     * @throws InvalidSignature
     */
    public static function verifyReceipt(string $receipt, array $keys): array
    {
        $parts = explode('.', trim($receipt));
        $header = json_decode(self::decode($parts[0]), true);
        if (count($parts) !== 3 || !is_array($header) || ($header['alg'] ?? '') !== 'EdDSA') {
            throw new InvalidSignature('it is no receipt that is signed with Ed25519');
        }
        foreach ($keys['keys'] ?? [] as $key) {
            if (($key['kid'] ?? null) !== ($header['kid'] ?? '') || ($key['crv'] ?? '') !== 'Ed25519') {
                continue;
            }
            [$signature, $public] = [self::decode($parts[2]), self::decode((string) $key['x'])];
            if (strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES || strlen($public) !== SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES
                || !sodium_crypto_sign_verify_detached($signature, "$parts[0].$parts[1]", $public)) {
                throw new InvalidSignature('the signature is not valid');
            }

            return json_decode(self::decode($parts[1]), true, flags: JSON_THROW_ON_ERROR);
        }
        throw new InvalidSignature('the receipt was signed with an unknown key');
    }

    private static function encode(string $data): string
    {
        return rtrim(strtr(base64_encode($data), '+/', '-_'), '=');
    }

    private static function decode(string $text): string
    {
        return (string) base64_decode(strtr($text, '-_', '+/'), true);
    }
}
