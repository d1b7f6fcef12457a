/**
 * Finds text that is meant for a language model rather than for an audience. Such lines are not sent to a rewriter, and
 * such replies are refused. See OWASP, LLM01 Prompt Injection: https://genai.owasp.org/llmrisk/llm01-prompt-injection/
 */

/**
 * Whether a text reads like an instruction to a language model. It errs on the side of caution: if a real line reads
 * like one, a person must shorten it.
 */
export const readsAsInstruction = (text: string): boolean => {
  const plain = text.normalize("NFKC").replaceAll(/[\p{Cf}\p{Cc}]/gu, "")
  return instructions.some((pattern) => pattern.test(plain))
}

const gap = "[^.!?。！？]{0,60}"

/** Commands to ignore the instructions, by language. Then the markup of models, their roles and secrets. */
const instructions: ReadonlyArray<RegExp> = [
  pattern(
    "\\b(?:ignore|disregard|forget|override|bypass)\\b",
    "\\b(?:instructions?|prompts?|guidelines|the above|(?:all|everything|anything) (?:above|before|previous)|(?:previous|prior|earlier) (?:text|messages?|lines?|rules))\\b"
  ),
  pattern(
    "(?:bỏ qua|phớt lờ|quên đi|lờ đi|bỏ mặc)",
    "(?:hướng dẫn|chỉ dẫn|chỉ thị|câu lệnh|mệnh lệnh|lời nhắc|yêu cầu (?:trước|trên))"
  ),
  pattern(
    "\\b(?:ignor|omit|olvid|esquec|desconsider|oubli|néglig|dimentic)\\p{L}{0,20}",
    "\\b(?:instruc|instruç|istruzion|consigne|indicacion|directrices|diretrizes|prompt)\\p{L}{0,20}"
  ),
  pattern(
    "(?:ignorier|vergiss|vergess|missacht|negeer|vergeet|ignorera|glöm)\\p{L}{0,20}",
    "(?:anweisung|vorgabe|instruktion|instructie|instruktioner|prompt)\\p{L}{0,20}"
  ),
  pattern(
    "(?:игнорир|забудь|забыть|проигнорир|ігноруй)\\p{L}{0,20}",
    "(?:инструкц|указани|промпт|інструкц)\\p{L}{0,20}"
  ),
  pattern("(?:忽略|无视|無視|忘记|忘掉|不要理会)", "(?:指令|指示|提示|说明|設定|设定)"),
  pattern("(?:指示|命令|プロンプト|지시|명령|지침|프롬프트)", "(?:無視|忘れ|무시|잊)"),
  /<\|[^|]{0,40}\|>|\[\/?INST\]|<<\/?SYS>>|```|^[^\S\n\u2028\u2029]*#{2,}\s/imu,
  /\b(?:system|developer|assistant)\s*(?:prompt|message|instructions?)\b/iu,
  /^[^\S\n\u2028\u2029]*(?:system|assistant|user|developer)\s*:/imu,
  /\byou are (?:now )?(?:chatgpt|claude|gemini|an? (?:ai assistant|assistant|chatbot|(?:large )?language model))\b/iu,
  pattern(
    "\\b(?:print|reveal|repeat|output|show|send|give|tell|return|respond with|reply with)\\b",
    "\\b(?:api[ _-]?keys?|access tokens?|environment variables?|your (?:prompt|instructions|rules)|the prompt)\\b"
  ),
  /\b(?:https?:\/\/|www\.)\S/iu
]

function pattern(first: string, then: string): RegExp {
  return new RegExp(`${first}${gap}${then}`, "iu")
}
