// Calls the endpoint without and with a user.
public class Run {
    public static void main(String[] args) throws Exception {
        CarillonController endpoint = new CarillonController();
        System.out.println(endpoint.token(null).status());
        System.out.println("{\"token\": \"" + endpoint.token(() -> System.getenv("NAME")).body().get("token") + "\"}");
    }
}
