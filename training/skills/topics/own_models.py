"""What the help desk knows about models that people train, are given, or want several of."""

from training.phrasing import Topic

OWN_MODELS = {
    "train": Topic(
        "Run python -m training --out FOLDER: it generates the text and trains me from nothing.",
        tasks="""
            (train|retrain|re-train|rebuild|reproduce) (you|this model|the embedded model|the built-in model|
                Tiny)
            (make|build|create) (the embedded model|a model like you|my own Tiny|you again)
            (teach you|teach Tiny|train you to say) (something new|new things|new answers|something else)
            (repeat|redo|run) (your training|the training of Tiny|the training of the embedded model)
            (train|make|build) (a second Tiny|another Tiny|a Tiny of my own|a small model like this one)
            (see|read|understand|look at) (how you were trained in detail|the training code|
                the code that trained you|the training recipe)
            (change|add to|widen) (your training text|the training text|what you learn)
        """,
        things="""
            (python -m training|the training command|the training recipe|the training folder|training/)
            (the training script|the training code|the program that trained you|the command that trains you|
                your training recipe)
        """,
        asks="""
            (which|what) command (trains|made|makes|builds) (you|the embedded model|this model)?
            (can I|may I) (train|retrain|change) (you|the embedded model|Tiny)( myself|)?
            how long does (training you|the training|it take to train you|your training) (take|last)?
            (train|training)( command| recipe| the model| this model| tiny|)
            is the training (open|included|in the source|part of the project)?
            (could|might) (I|anyone|somebody) (make|train|build) (you|Tiny|a model like you) (anew|again|
                from nothing|at home|at school)?
            (is|would it be) (possible|hard|expensive) to train (you|Tiny|a Tiny|
                the embedded model)( at home| again|)?
            (I'd like to|I want to|let me) train (you|Tiny|a model like you)( myself| at home|)(. How?|
                , how?|. What do I run?|.)
            (do I|does one) need a (GPU|big machine|cluster) to train (you|Tiny|the embedded model)?
            (what|which script|which program) do I run to (train|make|rebuild|retrain) (you|Tiny|
                the embedded model)?
            (can|could) (you|Tiny) be (trained|retrained|taught) (anew|again|by me|with other text)?
            (where|which folder) is (the|your) training (code|script|recipe)?
            (train|retrain|rebuild) (Tiny|the built-in model|the little model)(, how?|, which command?|
                , please|)
            (teaching|training) (you|Tiny) (new|more|other) (things|answers|stories)(: how?|, how?|
                , is that possible?)
        """,
    ),
    "fine-tune": Topic(
        "tritonchat runs models but does not train yours. Fine-tune it with another program, then load the "
        "folder with --model.",
        tasks="""
            (fine-tune|finetune|fine tune|train|adapt) (my own|my|a bigger|another|a Llama|a Mistral|a) model
            (train|fine-tune|finetune) (a model|it|my model) on my (own |)(data|texts|documents|files|chats)
            (use|load|apply|train) (LoRA|a LoRA|adapters|a LoRA adapter)
            (teach|show) (my own model|a bigger model|my model) (my documents|my style|my data|new facts)
            (continue|go on with) the training of (my model|a model from the hub|a Llama)
            (put|bring) my (data|company's data|documents|notes) into (a model|my own model|a bigger model)
        """,
        things="""
            (fine-tuning|finetuning|fine tuning|LoRA|training on my own data|LoRA adapters)
            (QLoRA|PEFT|a LoRA|instruction tuning|training my own model|fine-tuning with tritonchat|
                a fine-tuned model)
        """,
        asks="""
            (can it|can tritonchat|does it|does tritonchat) (fine-tune|finetune|train) (models|my model|
                a model)?
            (does it|do you) (support|do|have|load) (LoRA|fine-tuning|adapters|finetuning)?
            (fine-tuning|finetune|fine tune|lora|qlora)( support| how| possible| my model|)
            I want you to (learn|know) my (documents|data|files)(.|. How?|, how?)
            (I have|we have) (data|texts|documents|a data set|chat logs)(
                . Can tritonchat train a model on them?|, can I fine-tune here?|
                . How do I fine-tune with it?)
            (is|would) (fine-tuning|LoRA|finetuning|QLoRA) (be |)(possible|supported|included|
                part of tritonchat)?
            (can|does) (the server|tritonchat) (train|tune|adapt|fine-tune) (a|any|my|my own) (model|LLM|
                checkpoint)( too|)?
            (where|with what|with which program) do I (fine-tune|train|adapt) (my model|a model|
                my own model)?
            (I fine-tuned|I tuned) (a model|my model) (with LoRA|with PEFT|elsewhere|with another program)(
                . Will it run?|. Does it load?|, does it load?)
            (is it|is tritonchat) (for training or for running|only for running models|
                an inference server only|a training tool)( or for training|)?
            (does it|does tritonchat) do (LoRA|fine-tuning|training)( as well| too|)?
            (the model|my own model) should (learn|know) (our|my) (products|documents|texts|words)(. How?|
                , how?|.)
        """,
    ),
    "trust": Topic(
        "No code from a model folder is run, and pickle files are not read. A damaged file is named and "
        "refused.",
        tasks="""
            (trust|load safely|safely load|safely use) (a model from a stranger|a strange model|
                a downloaded model)
            (check|know|see) (if|whether) a model (is safe|is damaged|can be trusted|has a virus)
            (be sure|make sure) that a model (is safe|does no harm|has no virus|runs no code)
            (open|try|run) a model from an unknown (person|source|author)( safely|)
        """,
        things="""
            (the safety of model files|model safety|malicious models|an unsafe model|trust_remote_code)
            (pickle files|a pickle in a model|code in a model folder|a broken model file|
                a damaged checkpoint|a poisoned model)
        """,
        asks="""
            (is it|would it be) (safe|dangerous|risky|secure) to (load|use|run|download) (any|a strange|
                a downloaded) model?
            (can|could) a model (harm|damage|infect|attack|hack) my (computer|machine|system|files)?
            (does it|will it|do you) (run|execute) (code|Python|scripts) from (a model|the model|
                a model folder|the hub)?
            (are|can) (model files|models|checkpoints) (dangerous|hold viruses|be infected|contain malware|
                be harmful)?
            (model|file) (safety|security|virus|malware|damaged)( check|)
            (the file|my model|a file) is (damaged|corrupt|broken|incomplete)(.|)
            what (happens|does it do) (with|if|when) a (model file|file|checkpoint) is (damaged|corrupt|
                cut short)?
            (a stranger|somebody|someone on the internet) (gave|sent) me a model(. Is it safe?|
                . Can I trust it?|. Can I load it?|. Is that dangerous?)
            (I am|I'm) (afraid of|worried about) (viruses|malware|bad code) in (models|a model|model files)(
                .|)
            (can|could|might) (a model|a checkpoint|a model folder|weights) (contain|hold|have|carry) (
                a virus|malware|evil code|bad code|a trojan)?
            (is|are) (trust_remote_code|remote code|custom code) (used|allowed|run|supported|needed|
                executed)?
            (how safe|how secure|how dangerous) (is it to load|are) (a strange model|strange models|
                model files|foreign models)?
            (what|and) if (the|my) (download|model file|checkpoint) (broke off|was cut off|is incomplete|
                is damaged|is corrupt)?
            it says (the file|my model file|a weights file) is (damaged|cut short|too short|corrupt)(.|)
            does (loading|using) a model (run|start|execute) (code|anything|foreign code|scripts)?
            (virus|malware|trojan|pickle|remote code)( in a model| in models| risk| danger|)
        """,
    ),
    "several models": Topic(
        "A server serves one model. For a second model, start a second server on other ports.",
        brief="A server serves one model: for a second, start another server on other ports.",
        more="For example: tritonchat serve --model ./second --grpc-port 9001 --http-port 9000 "
        "--metrics-port 9002 --api-port 9080",
        tasks="""
            (serve|run|load|have|use|offer) (two|several|many|multiple|three|more than one) (models|
                LLMs)( at once| together|)
            (run|start|have) (two|several|a second) (servers|server|tritonchats) on (one|the same) machine
            (offer|have|serve) (a small and a big|a German and an English|a fast and a good|
                my old and my new) model (side by side|at the same time)
            (run|start|put) (two|three|several) models (next to each other|side by side|on one machine|
                in parallel)
        """,
        asks="""
            (can|does) (it|the server|a server|tritonchat) (serve|run|load|have|hold) (two|several|many|
                multiple) models?
            how many models (can it|does it|can a server) (serve|run|load|hold)( at once|)?
            (several|two|multiple|many) models( at once| at a time| together| per server|)
            (can I|may I) (switch|change) (between models|models) while it runs?
            (I have|I've got|we have) (two|three|several) models(. Can one server run both?|
                . Can one server run them?|, one server?|. How do I serve them?)
            (is it|is the server|is a server) (for one model|limited to one model|
                one model only)( only| or for several|)?
            (one|a single) (server|tritonchat) for (two|both|several|all my) models(?|, possible?|
                , can that be?|, how?)
            (can|may) (I|users) (choose|switch|pick) between (two|several) models (on the page|in a request|
                while it runs)?
            (does it|can it) (swap|switch|change) (models|the model) (while running|on the fly|
                without a restart)?
            (another|a second) model (beside|besides|next to|on top of) the first(?|, how?|, please|
                , can I?)
            (a|one) model per (server|process)(?| only?|, or more?|, is that all?)
        """,
        things="""
            (a second model|two models at once|several models on one server|a second server|
                a second model beside the first)
        """,
    ),
    "new family": Topic(
        "Write a small file in model_core/models and add a line to its __init__.py.",
        tasks="""
            (add|write|support|teach it|implement|bring in) (a new model family|another model family|
                a new architecture|another architecture|an architecture of my own)
            (extend|widen) (it|tritonchat|the engine) (to|by|for) (a new architecture|another family|
                other architectures)
            (write|program|add) (code for|support for) (an unsupported model|a new family|Gemma|Phi|
                a model family)
        """,
        things="""
            (a new model family|a new architecture|support for another architecture|adding a family|
                adding an architecture)
            (model_core/models|the folder model_core/models|a port of a new architecture)
        """,
        asks="""
            (where|in which file) (do I|does one|would one|would I) (add|put|write) a (new family|
                new architecture|model family)?
            (how hard|how much work|how difficult) (is it|would it be) to (add|support) (a new family|
                an architecture|another family|a new architecture)?
            (my|this) architecture is (missing|not there|not supported)(. Can I add it?|
                , can I add it myself?|. How do I add it?)
            (new|another|custom|own) (family|architecture)( support| code| where to add| how to add|)
            (could|can) (I|somebody|anyone) (add|write|program) (a family|an architecture|
                support for a family)( myself| himself|)?
            (which|what) (file|files|code) (must I|do I) (write|change|touch) for (a new family|
                a new architecture|another architecture)?
        """,
    ),
}
