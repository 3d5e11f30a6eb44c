<?php
// routes/web.php. In config/services.php: 'carillon' => ['token_key' => env('CARILLON_TOKEN_KEY')]
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Route;

Route::get('/carillon/token', function (Request $request) {
    abort_unless($user = $request->user(), 401);
    [$key, $now] = [config('services.carillon.token_key'), time()];
    $header = ['alg' => 'HS256', 'kid' => explode('.', $key)[0]];
    $claims = ['sub' => (string) $user->getAuthIdentifier(), 'name' => $user->name, 'aud' => 'carillon', 'iat' => $now, 'exp' => $now + 900];
    $encode = fn (string $data) => rtrim(strtr(base64_encode($data), '+/', '-_'), '=');
    $signed = $encode(json_encode($header)).'.'.$encode(json_encode($claims));
    $token = $signed.'.'.$encode(hash_hmac('sha256', $signed, $key, true));

    return response()->json(['token' => $token])->header('Cache-Control', 'no-store');
});
