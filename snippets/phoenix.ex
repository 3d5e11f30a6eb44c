# In router.ex, behind the plug that assigns current_user: get "/carillon/token", CarillonController, :show
defmodule MyAppWeb.CarillonController do
  use MyAppWeb, :controller

  def show(%{assigns: %{current_user: %{id: id, name: name}}} = conn, _params) do
    key = System.fetch_env!("CARILLON_TOKEN_KEY")
    now = System.system_time(:second)
    header = %{alg: "HS256", kid: key |> String.split(".") |> hd()}
    claims = %{sub: to_string(id), name: name, aud: "carillon", iat: now, exp: now + 900}
    signed = encode(Jason.encode!(header)) <> "." <> encode(Jason.encode!(claims))
    token = signed <> "." <> encode(:crypto.mac(:hmac, :sha256, key, signed))
    conn |> put_resp_header("cache-control", "no-store") |> json(%{token: token})
  end

  def show(conn, _params), do: send_resp(conn, 401, "")

  defp encode(data), do: Base.url_encode64(data, padding: false)
end
