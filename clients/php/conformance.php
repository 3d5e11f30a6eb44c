<?php

declare(strict_types=1);

// Makes the calls that it reads from standard input, one JSON object a line, for the test of all clients.

use Carillon\CarillonException;
use Carillon\Client;
use Carillon\InvalidSignature;
use Carillon\Signing;

spl_autoload_register(fn (string $class) => require __DIR__ . '/src/' . substr($class, strlen('Carillon\\')) . '.php');

$client = new Client(getenv('CARILLON_URL'), getenv('CARILLON_API_KEY'));
while (($line = fgets(STDIN)) !== false) {
    $call = json_decode($line, true);
    $name = lcfirst(str_replace('_', '', ucwords($call['call'], '_')));
    try {
        $of = method_exists(Signing::class, $name) ? Signing::class : $client;
        $answer = ['result' => [$of, $name](...$call['args'])];
    } catch (CarillonException $e) {
        $answer = ['status' => $e->status, 'code' => $e->problem, 'fields' => array_column($e->errors, 'location')];
    } catch (InvalidSignature) {
        $answer = ['invalid' => true];
    }
    echo json_encode($answer), "\n";
}
