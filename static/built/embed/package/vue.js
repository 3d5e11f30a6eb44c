// static/embed/package/vue.js
import { onScopeDispose, shallowRef } from "vue";
function useCarillon(client) {
  const now = shallowRef(client.getSnapshot());
  onScopeDispose(client.subscribe((snapshot) => void (now.value = snapshot)));
  return now;
}
export {
  useCarillon
};
