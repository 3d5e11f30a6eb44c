<?php
// CARILLON_TOKEN_KEY=tk_… php token.php 42 'Ann Archer'
[$key, $now] = [getenv('CARILLON_TOKEN_KEY'), time()];
$header = ['alg' => 'HS256', 'kid' => explode('.', $key)[0]];
$claims = ['sub' => $argv[1], 'name' => $argv[2], 'aud' => 'carillon', 'iat' => $now, 'exp' => $now + 900];
$encode = fn (string $data) => rtrim(strtr(base64_encode($data), '+/', '-_'), '=');
$signed = $encode(json_encode($header)) . '.' . $encode(json_encode($claims));
echo $signed . '.' . $encode(hash_hmac('sha256', $signed, $key, true)), "\n";
